import Primitives

/// A timeline in stretches of one length, such as hours. Stretch 0 begins at the timeline's zero.
extension Instant {
    /// The start of a stretch.
    init(stretch number: Int64, of length: Duration) {
        self.init(microseconds: number * length.microseconds)
    }

    /// The number of the stretch that contains this time.
    func stretch(of length: Duration) -> Int64 {
        microseconds.flooredDivision(by: length.microseconds)
    }
}

extension Duration {
    /// Whole microseconds, so that every machine computes the same world.
    init(truncatingSeconds seconds: Double) {
        self = .microseconds(Int64(seconds * 1_000_000))
    }

    /// A part of this time, in whole microseconds.
    func share(_ share: Double) -> Duration {
        .microseconds(Int64(share * Double(microseconds)))
    }
}

extension Int64 {
    /// The quotient rounded down, also below zero; `divisor` is positive.
    @inline(__always)
    func flooredDivision(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
