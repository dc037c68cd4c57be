/// A value that changes in equal steps and repeats: factors of arrivals over the day, hours of a till.
///
/// The first step begins at the zero of the world's timeline.
package struct Cycle: Equatable, Sendable {
    /// The length of all steps together, in microseconds.
    package let period: Int64
    /// One at least, none negative.
    package let factors: [Double]

    package init(seconds: Double, factors: [Double]) {
        period = max(1, Int64(seconds * 1_000_000))
        self.factors = factors.isEmpty ? [1] : factors
    }

    package var highest: Double { factors.max() ?? 1 }

    package func factor(at time: Int64) -> Double { factors[step(at: time)] }

    /// The first time from `time` on at which the factor is not 0; `nil` if it always is.
    package func next(from time: Int64) -> Int64? {
        let start = time.flooredDivision(by: period) * period
        let first = step(at: time)
        if factors[first] > 0 { return time }
        for offset in 1...factors.count where factors[(first + offset) % factors.count] > 0 {
            // Rounded up: the step of a time is rounded down.
            let count = Int64(factors.count)
            return start + (Int64(first + offset) * period + count - 1) / count
        }
        return nil
    }

    private func step(at time: Int64) -> Int {
        let position = time - time.flooredDivision(by: period) * period
        return Int(position * Int64(factors.count) / period)
    }
}
