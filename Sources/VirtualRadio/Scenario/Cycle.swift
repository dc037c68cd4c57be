import Primitives

/// A value that changes in equal steps and repeats: factors of arrivals over the day, hours of a till.
///
/// The first step begins at the zero of the world's timeline.
package struct Cycle: Equatable, Sendable {
    /// The length of all steps together.
    package let period: Duration
    /// One at least, none negative.
    package let factors: [Double]

    package init(seconds: Double, factors: [Double]) {
        period = max(.microseconds(1), Duration(truncatingSeconds: seconds))
        self.factors = factors.isEmpty ? [1] : factors
    }

    package var highest: Double { factors.max() ?? 1 }

    package func factor(at time: Instant) -> Double { factors[step(at: time)] }

    /// The first time from `time` on at which the factor is not 0; `nil` if it always is.
    package func next(from time: Instant) -> Instant? {
        let start = Instant(stretch: time.stretch(of: period), of: period)
        let first = step(at: time)
        if factors[first] > 0 { return time }
        for offset in 1...factors.count where factors[(first + offset) % factors.count] > 0 {
            // Rounded up: the step of a time is rounded down.
            let count = Int64(factors.count)
            let steps = Int64(first + offset) * period.microseconds
            return start.advanced(byMicroseconds: (steps + count - 1) / count)
        }
        return nil
    }

    private func step(at time: Instant) -> Int {
        let period = period.microseconds
        let position = time.microseconds - time.microseconds.flooredDivision(by: period) * period
        return Int(position * Int64(factors.count) / period)
    }
}
