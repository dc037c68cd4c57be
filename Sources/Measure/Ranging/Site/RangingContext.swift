import Facts
import Primitives
import Queueing

/// A beacon whose place is looked for.
package struct RangingSubject: Equatable, Sendable {
    /// Of a person's beacon, only sums of zones are stated.
    package let kind: TagKind
    /// Whether it is on a thing that moves: the levels of fewer seconds count.
    package let isMoving: Bool
    /// The power at one metre that it claims, in dBm.
    package let claimed: Double

    package init(_ kind: TagKind, isMoving: Bool, claimed: Double) {
        (self.kind, self.isMoving, self.claimed) = (kind, isMoving, claimed)
    }

    package var isPerson: Bool { kind == .visitor || kind == .staff }
}

/// A beacon that stands in a zone, or at a point of it, for some seconds.
package struct StandingBeacon: Equatable, Sendable {
    package let tag: Tag
    package let zone: Int
    /// `nil` if only the zone is known.
    package let point: PlanPoint?
    package let seconds: Range<UnixSecond>

    package init(tag: Tag, zone: Int, point: PlanPoint?, seconds: Range<UnixSecond>) {
        (self.tag, self.zone, self.point, self.seconds) = (tag, zone, point, seconds)
    }
}

/// What the gateways have heard of a standing beacon.
package struct HeardStanding: Equatable, Sendable {
    package let standing: StandingBeacon
    /// In dBm, by the gateways of the plan; `nil` where it was not heard.
    package let levels: [Double?]
}

/// What the fold reads beside windows.
struct RangingContext: Sendable {
    var model: RangingModel
    /// Another one has another number.
    var revision = 0
    /// Those with labels.
    var powers: [Tag: TagPower] = [:]
    var subjects: [Tag: RangingSubject] = [:]
    var standing: [StandingBeacon] = []

    func power(of tag: Tag, _ subject: RangingSubject) -> TagPower {
        powers[tag] ?? TagPower(claimed: subject.claimed)
    }
}
