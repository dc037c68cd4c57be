import Facts
import Glibc

/// The rate of a beacon's reports at a gateway: a gamma memory of the last minute.
///
/// Time is counted in seconds in which the gateway was listening.
struct ReportRate: Equatable {
    /// Reports, and seconds; both decay.
    private var reports = 0.0
    private var seconds = 0.0

    /// The time in which the memory decays to 1/e, in seconds.
    private static let memory = 60.0
    private static let decay = exp(-1 / memory)
    private static let mostExponent = 8.0

    /// Takes a second with reports.
    ///
    /// - Parameter elapsed: the seconds since the last one with reports, from 1.
    mutating func add(_ count: Double, elapsed: Int) {
        let decay = pow(Self.decay, Double(elapsed))
        reports = reports * decay + count
        seconds = seconds * decay + (1 - decay) / (1 - Self.decay)
    }

    /// The reports that are counted on: half a standard deviation fewer than those that came.
    private var evidence: Double { max(reports - 0.5 * reports.squareRoot(), 0.5) }

    /// Reports a second.
    var perSecond: Double { seconds > 0 ? evidence / seconds : 0 }

    /// The silence that independent losses exceed with the rate `accepted`, in seconds.
    func deadline(accepted: Double) -> Double {
        let exponent = log(max(perSecond / accepted, 2.7)) / evidence
        return seconds * (exp(min(exponent, Self.mostExponent)) - 1)
    }

    /// The number of silences a second that independent losses make longer than `silence`.
    func silences(longerThan silence: Double) -> Double {
        guard seconds > 0 else { return 0 }
        return perSecond * pow(1 + silence / seconds, -evidence)
    }
}

/// The silences that ended with another report: how long fading interrupts the reception.
struct SilenceRecord: Equatable {
    private var count = 0.0
    /// The sum of their lengths, in seconds.
    private var length = 0.0
    /// The time of presence in which they came, in seconds.
    private var presence = 0.0
    private var updated: UnixSecond?

    /// The memory decays to 1/e in this time.
    private static let memory = 86_400.0
    /// What is expected before anything is known.
    private static let prior = (count: 2.0, length: 3.0, presence: 600.0)
    /// So many silences of its own count as much as those of the gateway's other beacons.
    private static let blend = 10.0

    /// Takes a time of presence, which ends at `second`, and the silences in it. Lengths are in seconds.
    mutating func add(
        count new: Double, length: Double, presence: Double, at second: UnixSecond
    ) {
        let elapsed = updated.map { max(0, ($0.distance(to: second))) } ?? 0
        let decay = exp(-Double(elapsed) / Self.memory)
        count = count * decay + new
        self.length = self.length * decay + length
        self.presence = self.presence * decay + presence
        updated = second
    }

    /// How much the record weighs beside that of the gateway's other beacons.
    var weight: Double {
        let count = count + Self.prior.count
        return count / (count + Self.blend)
    }

    private var model: (length: Double, rate: Double) {
        let count = count + Self.prior.count
        return (
            (length + Self.prior.length) / count * (1 + 1.5 / count.squareRoot()),
            count / (presence + Self.prior.presence)
        )
    }

    /// The silence that fading exceeds with the rate `accepted`, in seconds.
    func deadline(accepted: Double) -> Double {
        let (length, rate) = model
        return 1 + length * log(max(rate / accepted, 2.7))
    }

    /// The number of silences a second that fading makes longer than `silence`.
    func silences(longerThan silence: Double) -> Double {
        let (length, rate) = model
        return rate * exp(-max(0, silence - 1) / length)
    }
}

/// How much longer the deadline of a beacon is since it came back soon after an exit.
struct FlapFactor: Equatable {
    private var factor = 1.0
    private var updated: UnixSecond?

    /// A beacon that comes back within this time after an exit had not left.
    static let window = Duration.seconds(180)
    private static let most = 4.0
    private static let decayPerDay = 0.21

    func value(at second: UnixSecond) -> Double {
        guard let updated else { return 1 }
        let days = Double(max(0, updated.distance(to: second))) / 86_400
        return max(1, factor * exp(-Self.decayPerDay * days))
    }

    mutating func onFlap(at second: UnixSecond) {
        factor = min(2 * value(at: second), Self.most)
        updated = second
    }
}
