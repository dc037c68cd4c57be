import Facts
import Primitives
import Queueing

/// A beacon whose place is looked for.
package struct RangingSubject: Equatable, Sendable {
    /// Of a visitor's beacon, only sums of zones are stated.
    package let kind: TagKind
    /// Whether it is on a thing that moves: the levels of fewer seconds count.
    package let isMoving: Bool
    /// The power at one metre that it claims, in dBm.
    package let claimed: Double

    package init(_ kind: TagKind, isMoving: Bool, claimed: Double) {
        (self.kind, self.isMoving, self.claimed) = (kind, isMoving, claimed)
    }

    package var isPerson: Bool { kind == .visitor }
}

/// A beacon that windows have named.
struct KnownSubject: Sendable {
    /// As the newest message says.
    private(set) var subject: RangingSubject
    /// The powers that it has claimed, each from the first second with it.
    private var claims: [(from: UnixSecond, power: Double)]

    /// Further changes are forgotten, the oldest first.
    private static let mostClaims = 8

    init(_ subject: RangingSubject, at second: UnixSecond) {
        self.subject = subject
        claims = [(second, subject.claimed)]
    }

    /// Takes what a window of a second says. Windows may come in any order.
    mutating func take(_ subject: RangingSubject, at second: UnixSecond) {
        self.subject = subject
        let power = subject.claimed
        let next = claims.firstIndex { $0.from > second } ?? claims.count
        if next > 0 {
            let former = claims[next - 1]
            if former.from == second { claims[next - 1].power = min(former.power, power) }
            if former.from == second || former.power == power { return }
        }
        if next < claims.count, claims[next].power == power {
            claims[next].from = second
        } else {
            claims.insert((second, power), at: next)
        }
        if claims.count > Self.mostClaims { claims.removeFirst() }
    }

    /// The power at one metre that it claims in a second, in dBm.
    func claimed(at second: UnixSecond) -> Double {
        (claims.last { $0.from <= second } ?? claims[0]).power
    }
}

/// A beacon that stands in a zone, or at a point of it, for some seconds.
package struct LabelTask: Equatable, Sendable {
    package let tag: Tag
    package let zone: Int
    /// `nil` if only the zone is known.
    package let point: PlanPoint?
    package let seconds: Range<UnixSecond>

    package init(tag: Tag, zone: Int, point: PlanPoint?, seconds: Range<UnixSecond>) {
        (self.tag, self.zone, self.point, self.seconds) = (tag, zone, point, seconds)
    }
}

/// What the gateways have heard of the beacon of a task.
package struct LabelLevels: Equatable, Sendable {
    package let task: LabelTask
    /// In dBm, by the gateways of the plan; `nil` where it was not heard.
    package let levels: [Double?]
    /// Likewise.
    package let spreads: [LevelSpread?]
}

/// How the levels of some seconds differ.
package struct LevelSpread: Equatable, Sendable {
    /// Of one second, in dB.
    package let deviation: Double
    /// The seconds.
    package let count: Int

    /// Of labels that have none, in dB.
    static let usual = 3.0

    package init(deviation: Double, count: Int) {
        (self.deviation, self.count) = (deviation, count)
    }
}

/// What the fold reads beside windows.
struct RangingContext: Sendable {
    var model: RangingModel
    /// Another one has another number.
    var revision = 0
    /// Those with labels.
    var powers: [Tag: TagPower] = [:]
    var subjects: [Tag: KnownSubject] = [:]
    var tasks: [LabelTask] = []
    /// Of a site without a plan; `nil` while fewer than two zones have labels.
    var fingerprints: ZoneFingerprints?

    /// What the mean levels of a beacon say; without a plan, the levels of each second.
    func estimate(
        _ levels: [Double?], power: TagPower, seconds: () -> [[Double?]]
    ) -> PlaceEstimate? {
        guard !model.plan.isDrawn else { return model.place(levels, power: power) }
        return fingerprints.map {
            PlaceEstimate(
                zones: $0.probabilities(seconds(), power: power), gateways: levels.count)
        }
    }

    /// By zone: the gateway that is nearest to it.
    var nearestOfZone: [Int?] {
        guard !model.plan.isDrawn else { return model.geometry.nearestOfZone }
        return model.plan.zones.indices.map { fingerprints?.nearest(to: $0) }
    }

    func power(of tag: Tag, _ subject: KnownSubject, at second: UnixSecond) -> TagPower {
        powers[tag] ?? TagPower(claimed: subject.claimed(at: second))
    }
}
