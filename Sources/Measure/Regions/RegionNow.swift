import Facts
import Primitives
import Queueing

/// A region at the present.
package struct RegionNow: Equatable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        case ok
        /// A gateway of several does not listen.
        case degraded
        /// No gateway listens.
        case unknown
    }

    package let region: String
    /// The end of the last second that the numbers describe; `nil` before the first one.
    package let at: UnixSecond?
    package let state: State
    package internal(set) var reasons: [AbsentGateway]
    /// The beacons in the region.
    package let inside: Int
    /// Those that may be in it: the gateways that could tell do not listen.
    package let unknown: Int
    package let byKind: [TagKind: Int]

    /// The same with the causes of absences that only the broker tells.
    package func explained(by absences: [String: QueueNow.Reason.Cause]) -> RegionNow {
        var now = self
        now.reasons = reasons.map { $0.explained(by: absences) }
        return now
    }
}

/// A beacon in a region, and what its gateways know.
package struct RegionBeacon: Sendable {
    package struct Gateway: Sendable {
        package let name: String
        package let silence: Duration
        package let deadline: ExitDeadline
    }

    package let region: String
    package let tag: Tag
    package let isUnknown: Bool
    package let since: UnixTime
    /// Those that have it.
    package let gateways: [Gateway]
}
