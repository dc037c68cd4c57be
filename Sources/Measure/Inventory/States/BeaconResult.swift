import Beacons
import JSON
import Primitives
import Results

/// The retained result of a registered beacon: its present state.
package struct BeaconResult: ResultDocument {
    package let site: String
    package let now: BeaconNow
    /// Rises with each publication of other contents.
    package let rev: Int

    package init(site: String, _ now: BeaconNow, rev: Int) {
        self.site = site
        self.now = now
        self.rev = rev
    }

    package static let kind = ResultKind(
        "beacon", file: "beacon", topic: .beacon, title: "Registered beacon at present",
        help:
            "The state of a beacon of the registry that stays in its place, is a gateway's own, or is on a thing. Retained; published when it changes, at most every 10 s, and at least every 5 min. Beacons of visitors and the staff have no such message. Subscribers must ignore unknown members.",
        members)

    package static let members: [ResultMember<BeaconResult>] = [
        .constant("v", 1), .constant("kind", "beacon"), .name("site") { $0.site },
        .text("beacon", "UUID/MAJOR/MINOR.") { $0.now.entry.item },
        .text("name", "The name in the registry, for people; null without one.") {
            $0.now.entry.beacon.name
        }.nullable.column("Name", "NAME", none: ""),
        .word("carrier", "The kind in the registry.", of: ["fixed", "gateway", "asset"]) {
            $0.now.entry.beacon.kind.rawValue
        }.column("Kind", "KIND"),
        .object("registered", "The place in the registry.", of: place) { $0.now.entry.beacon },
        .time(
            "at",
            "The end of the last second that the state describes, by the gateways' clocks; null before the first message.",
            atLeast: 0
        ) { $0.now.at }.nullable.stamp,
        .integer("rev", "Rises with each publication of other contents.") { $0.rev }.stamp,
        .word(
            "state",
            "clone: several devices send the identity. missing: silent for longer than beacons of this network are. battery: it ends. moved: other levels for six hours; until the levels are as before, or the row has a new since. interval: it sends less than 70 % of the usual reports for a day. unseen: never heard. unknown: the gateways that hear it usually do not listen. learning: heard for less than 72 hours. retired: by the registry."
        ) { $0.now.state }
        .metric("missing", "Whether the beacon is missing.", word: "missing")
        .metric("clone", "Whether several devices send the identity.", word: "clone")
        .metric("moved", "Whether the beacon is in another place.", word: "moved")
        .metric("battery_low", "Whether the battery ends.", word: "battery")
        .metric("unknown", "Whether the gateways that hear it do not listen.", word: "unknown")
        .entity(
            "tracker", "Presence",
            .presence(
                home: ["ok", "learning", "battery", "interval", "moved"], away: ["missing"])
        )
        .column("State", "STATE"),
        .word(
            "fault",
            "Whether a person should do something: in the states clone, missing, battery, moved, interval and unseen.",
            of: ["no", "yes"]
        ) { $0.now.state.isFault ? "yes" : "no" }.entity("problem", "Problem", normal: "no"),
        .time("since", "When the state began; null where no time is known.", atLeast: 0) {
            $0.now.since
        }.nullable,
        .object("why", "The evidence; null where the state needs none.", of: BeaconEvidence.members)
        { $0.now.evidence }.nullable.stamp,
        .object(
            "work",
            "The item of the work list; null where nobody needs to do anything, which is where fault is no. The list has the order of withinDays.",
            of: work
        ) { BeaconWork($0.now) }.nullable.stamp,
        .time("lastHeard", "The last report; null before the first.", atLeast: 0) {
            $0.now.lastHeard
        }.nullable.stamp.column("Last heard", "LAST HEARD", none: "never", place: 1),
        .list(
            "gateways", "Those that hear the beacon, the loudest first.",
            of: BeaconNow.Gateway.members
        ) { $0.now.gateways }.stamp,
        .object(
            "battery", "By its telemetry; null without one.", of: BeaconEvidence.battery
        ) { $0.now.battery }.nullable,
    ]

    private static let work: [ResultMember<BeaconWork>] = [
        .number("withinDays", "How soon; the end of the battery, if that is known.", places: 1) {
            $0.withinDays
        },
        .text("sentence", "For people.") { $0.sentence }
            .column("What to do first", "EVIDENCE", none: "", place: 2),
    ]

    private static let place: [ResultMember<RegisteredBeacon>] = [
        .text("zone") { $0.zone }.nullable.column("Zone", "ZONE", none: ""),
        .number("x", places: 2, atLeast: nil) { $0.place?.x }.nullable,
        .number("y", places: 2, atLeast: nil) { $0.place?.y }.nullable,
        .number("z", places: 2, atLeast: nil) { $0.place?.z }.nullable,
    ]
}

extension BeaconNow.Gateway {
    fileprivate static let members: [ResultMember<BeaconNow.Gateway>] = [
        .name("gateway") { $0.name },
        .number("level", "dBm, a mean of the last seconds.", places: 0, atLeast: -127) { $0.level },
    ]
}

/// An event of the network of beacons.
package struct BeaconEventResult: ResultDocument {
    package let site: String
    package let event: InventoryEvent
    /// Of the registry; `nil` of an unregistered beacon.
    package let name: String?
    /// The other site whose registry has an unregistered beacon.
    package let sibling: String?

    package init(site: String, _ event: InventoryEvent, name: String?, sibling: String? = nil) {
        self.site = site
        self.event = event
        self.name = name
        self.sibling = sibling
    }

    package static let kind = ResultKind(
        "beacon-event", file: "beacon-event", topic: .beaconEvents,
        title: "Event of the network of beacons",
        help:
            "A beacon is missing, or heard again; a beacon without a row in the registry; a clone; another place; a battery that ends; a slower beacon. Final once. No visitor's beacon is in any event. Subscribers must ignore unknown members.",
        members)

    package static let members: [ResultMember<BeaconEventResult>] = [
        .constant("v", 1), .constant("kind", "beacon-event"), .name("site") { $0.site },
        .text("id", "16 hexadecimal digits: a hash of site, beacon, decidedAt and event.") {
            $0.id
        },
        .word(
            "event",
            "unregistered: a UUID of the registry, and no row; once a day of one beacon. The others are states of a beacon; found ends missing."
        ) { $0.event.kind },
        .text("beacon", "UUID/MAJOR/MINOR.") { $0.event.item },
        .text("name", "The name in the registry; null without one.") { $0.name }.nullable,
        .text("registeredAt", "The site whose registry has an unregistered beacon.") {
            $0.sibling
        }.optional,
        .time("at", "The beginning: of missing, the last report.") { $0.event.at },
        .time("decidedAt", "The end of the second that decided, by the gateways' clocks.") {
            $0.event.decidedAt
        },
        .text("sentence", "For people.") { $0.event.sentence($0.name) },
        .object("why", "The evidence.", of: BeaconEvidence.members) { $0.event.evidence },
    ]

    package var id: String {
        let text = [
            site, event.item, "\(event.decidedAt.milliseconds)", event.kind.rawValue,
        ].joined(separator: "\n")
        return String(SHA256Digest(of: Array(text.utf8)).description.prefix(16))
    }
}

/// The store has no UUID: a person's beacon may have the same. A hash stands for it.
extension BeaconEventResult {
    /// The name of a beacon in the store.
    package static func stored(_ item: String) -> String {
        guard let slash = item.firstIndex(of: "/"), let uuid = ProximityUUID(String(item[..<slash]))
        else { return item }
        return hash(uuid) + item[slash...]
    }

    /// What the store has of a UUID.
    package static func hash(_ uuid: ProximityUUID) -> String {
        String(SHA256Digest(of: Array("\(uuid)".utf8)).description.prefix(16))
    }

    /// The document of the store.
    package var stored: JSON { Self.named(json) { Self.stored($0) } }

    /// A stored document, with the UUID of the registry that has the hash.
    package static func published(_ stored: JSON, _ registry: Registry) -> JSON {
        named(stored) { item in
            guard let slash = item.firstIndex(of: "/"),
                let uuid = registry.uuids.first(where: { hash($0) == item[..<slash] })
            else { return item }
            return "\(uuid)" + item[slash...]
        }
    }

    private static func named(_ document: JSON, _ name: (String) -> String) -> JSON {
        guard case .object(let members) = document else { return document }
        return .object(
            members.map { member in
                guard member.key == "beacon", case .string(let item) = member.value else {
                    return member
                }
                return .init("beacon", .string(name(item)))
            })
    }
}

extension BeaconEvidence {
    fileprivate static let battery: [ResultMember<BeaconEvidence>] = [
        .integer("millivolts", "A median of a day.") { $0.millivolts }.nullable
            .metric("battery_millivolts", "The battery's voltage.")
            .entity("millivolts", "Battery (mV)")
            .column("Battery (mV)", "MV", none: "", place: 1),
        .number(
            "millivoltsPerWeek", "null with voltages of less than five days.", places: 1,
            atLeast: nil
        ) { $0.millivoltsPerWeek }.nullable,
        .number("daysLeft", "Until it ends; null where it does not fall.", places: 0) {
            $0.daysLeft
        }.nullable,
    ]

    fileprivate static let members: [ResultMember<BeaconEvidence>] = [
        .milliseconds("silenceMs", "The time in which gateways listened, and heard nothing.") {
            $0.silence
        }.optional,
        .milliseconds("deadlineMs", "The silence after which a beacon is missing.") {
            $0.deadline
        }.optional,
        .word(
            "rule",
            "Of a clone. count: more reports in a minute than one device can send. senders: several senders in two windows that are 20 s to 5 min apart. echo: the gateway's own identity from another device."
        ) { $0.rule }.optional,
        .integer("reports", "Of a minute; of an unregistered beacon, of the day.") { $0.reports }
            .optional,
        .integer("limit", "The most reports that one device can send in a minute.") { $0.limit }
            .optional,
        .integer(
            "senders", "The senders of the identity in the window that decided."
        ) { $0.senders }.optional,
        .flag("echo", "The gateway has heard its own identity from another device.") {
            $0.isEcho ? true : nil
        }.optional,
        .number("score", "The deviation from the usual levels, in standard deviations.", places: 1)
        { $0.score }.optional,
        .number("threshold", "The deviation of another place.", places: 1) { $0.threshold }
            .optional,
        .integer("millivolts") { $0.millivolts }.optional,
        .number("millivoltsPerWeek", places: 1, atLeast: nil) { $0.millivoltsPerWeek }.optional,
        .number("daysLeft", "Until the battery ends.", places: 0) { $0.daysLeft }.optional,
        .number("ratePerSecond", "The most reports a second in an hour of the last day.", places: 3)
        { $0.rate }.optional,
        .number("usualRatePerSecond", places: 3) { $0.usualRate }.optional,
        .number(
            "falsePerWeek", "False alarms a week that are expected in the whole network.", places: 3
        ) { $0.falsePerWeek }.optional,
        .json("gateways", "Those that heard the beacon, or do so usually.", as: .list(.name)) {
            .array($0.gateways.map { .string($0) })
        },
    ]
}
