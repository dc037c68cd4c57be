import Facts

/// Little's identity: the integral of the length equals the sum of the times in line.
///
/// Both sides are counted independently. A residual other than 0 is a fault of the program.
struct LittleCheck {
    /// Side one: the length, added up second by second.
    private var integral = Duration.zero
    /// Side two: the waits of all who have left.
    private var waits = Duration.zero
    /// And the time so far of those who are in line.
    private var elapsed = Duration.zero

    /// Adds a period that has become final.
    ///
    /// - Parameters:
    ///   - lengths: the length in each second.
    ///   - visits: those that overlap the period.
    mutating func add(lengths: [Int], _ visits: [Visit], _ period: Range<UnixSecond>) {
        integral += .seconds(lengths.reduce(0, +))
        elapsed = .zero
        for visit in visits {
            if visit.left.second <= period.upperBound {
                waits += visit.wait
            } else {
                elapsed += period.upperBound - visit.entered.second
            }
        }
    }

    var residual: Duration { integral - waits - elapsed }
}
