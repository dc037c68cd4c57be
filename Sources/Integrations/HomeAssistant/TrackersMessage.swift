import Contract
import JSON
import Primitives
import Sightings

/// Which chosen beacons are near: the retained message of the topic `trackers`.
///
///     {"v":1,"session":"…","at":1780000000000,
///      "trackers":[{"name":"Forklift","uuid":"…","major":42,"minor":9,"state":"home"}]}
package struct TrackersMessage: Sendable {
    package let session: String
    /// When it was written.
    package let at: UnixTime
    package let trackers: [(tracker: Tracker, state: Presence.State)]

    package init(
        session: String, at: UnixTime, trackers: [(tracker: Tracker, state: Presence.State)]
    ) {
        self.session = session
        self.at = at
        self.trackers = trackers
    }

    /// The message's bytes.
    package var encoded: [UInt8] {
        let list = trackers.map { tracker, state in
            JSON.object([
                .init("name", .string(tracker.name)),
                .init("uuid", .string("\(tracker.identity.uuid)")),
                .init("major", .integer(Int64(tracker.identity.major))),
                .init("minor", .integer(Int64(tracker.identity.minor))),
                .init("state", .string(state.rawValue)),
            ])
        }
        let json = JSON.object([
            .init("v", .integer(1)),
            .init("session", .string(session)),
            .init("at", .integer(at.milliseconds)),
            .init("trackers", .array(list)),
        ])
        return json.bytes
    }
}
