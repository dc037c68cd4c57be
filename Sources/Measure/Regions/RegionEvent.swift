import Facts
import Primitives

/// A change of one beacon's presence in one region.
package struct RegionEvent: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case enter, exit
        /// No gateway that could hear the beacon is listening.
        case unknown
    }

    /// The evidence of an event. `nil` where it has no meaning for the event.
    package struct Why: Equatable, Sendable {
        /// The reports of the seconds in which it entered, and their last level in dBm.
        package var reports: Double?
        package var power: Double?
        /// The time without a report, and the one after which the beacon has left.
        package var silence: Duration?
        package var deadline: Duration?
        /// Reports a second, as far as they are counted on.
        package var rate: Double?
        /// The mean time between two reports.
        package var meanGap: Duration?
        /// The expected number of false exits in a day of presence.
        package var falsePerDay: Double?
        /// The gateways that decided: those that hear the beacon, or did so last.
        package var gateways: [String] = []
    }

    /// What tells an event from the others.
    struct Key: Hashable {
        let decidedAt: UnixTime
        let region: String
        let tag: Tag
        let kind: Kind
    }

    package let region: String
    package let tag: Tag
    package let kind: Kind
    /// When the beacon came or left.
    package let at: UnixTime
    /// The end of the second that decided.
    package let decidedAt: UnixTime
    package let why: Why

    var key: Key { Key(decidedAt: decidedAt, region: region, tag: tag, kind: kind) }
}
