/// Little's identity: the integral of the length equals the sum of the times in line.
///
/// Both sides are counted independently, in whole seconds. A residual other than 0 is a fault of the program.
struct LittleCheck {
    /// Side one: the length, added up second by second.
    private var personSeconds: Int64 = 0
    /// Side two: the waits of all who have left.
    private var waits: Int64 = 0
    /// And the time so far of those who are in line.
    private var elapsed: Int64 = 0

    /// Adds a period that has become final.
    ///
    /// - Parameters:
    ///   - lengths: the length in each second.
    ///   - visits: those that overlap the period.
    mutating func add(lengths: [Int], _ visits: [Visit], _ period: Range<Int64>) {
        personSeconds += Int64(lengths.reduce(0, +))
        elapsed = 0
        for visit in visits {
            if visit.left.second <= period.upperBound {
                waits += visit.wait
            } else {
                elapsed += period.upperBound - visit.entered.second
            }
        }
    }

    var residualMs: Int64 { (personSeconds - waits - elapsed) * 1000 }
}
