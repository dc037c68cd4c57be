import Facts
import JSON

/// The correction of `PresenceModel` at one queue. How many people pass by, and how near, differs from queue to queue.
///
/// The probabilities of all tags at present sum up to the expected length. In hindsight, the length is known. The correction
/// makes both equal in the mean: it is an online logistic regression of the constant alone, by steps of Newton's method, with a
/// prior around 0.
struct PresenceCalibration: Equatable, Sendable {
    /// A line by the knowledge of its moment.
    struct Moment {
        let second: UnixSecond
        let expectedLength: Double
        /// The sum of `p (1 − p)` over the tags: the Fisher information about the constant.
        let information: Double
    }

    /// Nats, added to the log-odds of each tag.
    private(set) var correction = 0.0
    /// Of all moments until now, and of the prior.
    private var information = Self.prior

    /// Of a prior with a standard deviation of 0.6 nats, as among the worlds of the bench.
    private static let prior = 3.0
    /// Lines of ten seconds apart are nearly the same: each counts for a tenth.
    private static let share = 0.1
    /// With some hours of moments, older ones begin to fade.
    private static let most = 30.0
    /// A larger correction would follow from wrong lengths. Chosen: five standard deviations of the prior.
    private static let largest = 3.0

    init() {}

    /// Learns from a moment whose length is now final.
    mutating func add(_ moment: Moment, length: Int) {
        information = min(information + Self.share * moment.information, Self.most)
        let step = Self.share * (Double(length) - moment.expectedLength) / information
        correction = min(max(correction + step, -Self.largest), Self.largest)
    }
}

extension PresenceCalibration {
    init(_ reader: inout ObjectReader) {
        correction = reader.number("correction", in: -Self.largest...Self.largest)
        information = reader.number("information", in: Self.prior...Self.most)
    }

    var json: JSON {
        ["correction": .number(correction), "information": .number(information)]
    }
}
