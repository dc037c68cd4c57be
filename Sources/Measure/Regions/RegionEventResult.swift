import Beacons
import JSON
import Primitives
import Queueing
import Results

/// The published event of a region.
package struct RegionEventResult: ResultDocument {
    package let site: String
    package let event: RegionEvent
    package let subject: RegionTable.Subject
    package let isWithdrawn: Bool
    /// How often the event was withdrawn before.
    private let revision: Int

    package init(
        site: String, _ event: RegionEvent, of subject: RegionTable.Subject, isWithdrawn: Bool,
        revision: Int = 0
    ) {
        self.site = site
        self.event = event
        self.subject = subject
        self.isWithdrawn = isWithdrawn
        self.revision = revision
    }

    package static let kind = ResultKind(
        "region-event", file: "region-event", topic: .regionEvents, title: "Event of a region",
        help:
            "A beacon has come to a region or left it. It is final, but for an event that late messages undo: another one withdraws it. Events of persons have the pseudonym of the day, and exist only with “privacy”: “day”. Visitors, the staff and beacons of no kind are persons. Subscribers must ignore unknown members.",
        members)

    package static let members: [ResultMember<RegionEventResult>] = [
        .constant("v", 1), .constant("kind", "region-event"), .name("site") { $0.site },
        .name("region") { $0.event.region },
        .text(
            "id",
            "The same event has the same id, also after a restart: 16 hexadecimal digits. It is a hash of site, region, beacon, decidedAt and event. An event that is published again after its withdrawal has another one."
        ) { $0.id },
        .word(
            "event",
            "enter, exit; unknown: no gateway listens that could tell; withdrawn: late messages show that the event “of” did not happen.",
            of: RegionEvent.Kind.allCases.map(\.rawValue) + ["withdrawn"]
        ) { $0.isWithdrawn ? "withdrawn" : $0.event.kind.rawValue },
        .text("of", "Only of withdrawn: the id of the event that did not happen.") {
            $0.isWithdrawn ? $0.withdrawn : nil
        }.optional,
        .text("beacon", "The beacon; absent where a person carries it.") {
            $0.subject.identity.map { "\($0)" }
        }.optional,
        .text("tag", "The pseudonym of the day, where a person carries the beacon.") {
            $0.subject.identity == nil ? $0.tag : nil
        }.optional,
        .word(
            "carrier", "The kind of the beacon.",
            of: TagKind.allCases.filter { $0 != .clone }.map(\.rawValue)
        ) { $0.subject.kind.rawValue },
        .time(
            "at",
            "When the beacon came, by its first report, or left: its last report and half a mean interval, or the decision if none came since a restart of the server; of unknown, the last second of the gateways."
        ) { $0.event.at },
        .time("decidedAt", "The end of the second that decided, by the gateways' clocks.") {
            $0.event.decidedAt
        },
        .object("why", "The evidence. A member is absent where it has no meaning.", of: why) {
            $0.event.why
        },
    ]

    private static let why: [ResultMember<RegionEvent.Why>] = [
        .number("reports", "The reports with which it entered.", places: 1) { $0.reports }.optional,
        .number("rssi", "The last level of them, in dBm.", places: 1, atLeast: -127) { $0.power }
            .optional,
        .milliseconds("silenceMs", "The time since the last report.") { $0.silence }.optional,
        .milliseconds("deadlineMs", "The silence after which the beacon has left.") {
            $0.deadline
        }.optional,
        .number("ratePerSecond", "Reports a second, before the silence.", places: 3) { $0.rate }
            .optional,
        .milliseconds("meanGapMs", "The mean time between two reports.") { $0.meanGap }.optional,
        .number(
            "falsePerDay",
            "How many silences of this length are expected in a day in which the beacon stays.",
            places: 3
        ) { $0.falsePerDay }.optional,
        .json(
            "gateways", "Those that heard the beacon, or did so last.", as: .list(.name)
        ) { .array($0.gateways.map { .string($0) }) },
    ]

    /// The document of the store, which never has an identity: the tag stands for each beacon.
    package var stored: JSON {
        let anonymous = RegionTable.Subject(
            regions: subject.regions, kind: subject.kind, identity: nil)
        let document = RegionEventResult(
            site: site, event, of: anonymous, isWithdrawn: isWithdrawn, revision: revision
        ).json
        guard case .object(let members) = document else { return document }
        let identifiers: [String: JSON] = ["id": .string(id), "of": .string(withdrawn)]
        return .object(
            members.map { .init($0.key, identifiers[$0.key] ?? $0.value) })
    }

    /// A stored document, with the beacon in the place of its tag where it is known.
    package static func published(_ stored: JSON, beacon: BeaconIdentity?) -> JSON {
        guard let beacon, case .object(let members) = stored else { return stored }
        return .object(
            members.map { $0.key == "tag" ? .init("beacon", .string("\(beacon)")) : $0 })
    }

    /// The id of the event that a withdrawal is about.
    private var withdrawn: String { identifier(event.kind.rawValue) }

    /// Hexadecimal digits.
    private var tag: String {
        let digits = String(event.tag.rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    package var id: String { identifier(isWithdrawn ? "withdrawn" : event.kind.rawValue) }

    private func identifier(_ kind: String) -> String {
        let beacon = subject.identity.map { "\($0)" } ?? tag
        let parts = [site, event.region, beacon, "\(event.decidedAt.milliseconds)", kind]
        let text = (revision > 0 ? parts + ["\(revision)"] : parts).joined(separator: "\n")
        return String(SHA256Digest(of: Array(text.utf8)).description.prefix(16))
    }
}
