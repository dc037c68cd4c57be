import Contract
import MessageSamples
import Primitives
import Subscriber
import Testing

@testable import Subcommands

@Suite struct FleetStatusTests {
    private static let name = GatewayName(site: "store-042", id: "entry-1")

    private static func fleet(
        _ messages: [Fleet.Retained], accepts: Bool = false
    ) -> FleetStatus {
        var fleet = FleetStatus(
            root: "sightline/v1", detailed: name, acceptsUnsyncedClocks: accepts)
        for message in messages { fleet.on(topic: message.topic, payload: message.payload) }
        return fleet
    }

    private static func snapshot(_ messages: [Fleet.Retained]) throws -> GatewaySnapshot {
        try #require(fleet(messages).snapshot(name))
    }

    @Test(
        "the retained messages of a gateway give its state and the reason",
        arguments: [
            (nil, "online", ""), (.offline, "offline", "not connected"),
            (.deaf, "deaf", "no report for 4 min 0 s; recovery failed 2 times"),
            (.faulty, "degraded", "a fault of its radio: see its log"),
            (.refused, "refused", "gateway 8: the controller refused the parameters"),
            (.unsynced, "unsynced", "its clock is not set"),
            (.backlog, "backlog", "1,203 messages, the oldest 4 min 10 s"),
            (.pending, "pending", "site 3 not in force yet"),
            (.expiring, "expiring", "certificate ends in 10 days"),
        ] as [(Fleet.Failure?, String, String)])
    func states(failure: Fleet.Failure?, state: String, reason: String) throws {
        let messages =
            Fleet.documents(sites: ["store-042"]) + Fleet.messages(Self.name, failure)
        let snapshot = try Self.snapshot(messages)
        #expect(snapshot.condition.rawValue == state && snapshot.reason == reason)
        // The order of the messages is the broker's affair.
        let reversed = try Self.snapshot(messages.reversed())
        #expect(reversed.condition == snapshot.condition && reversed.reason == reason)
    }

    @Test("an expiring certificate is named behind another reason as well")
    func certificateBehindOffline() throws {
        let will = StatusMessage(
            state: .offline, session: "run-1", at: Fleet.start, version: "0.1.0", clock: .synced)
        let messages =
            Fleet.messages(Self.name, .expiring)
            + [(Fleet.topic(Self.name, .status), will.encoded)]
        #expect(try Self.snapshot(messages).reason == "not connected; certificate ends in 10 days")
    }

    @Test("status has the conditions of watch and server", arguments: GatewaySample.all)
    func samples(_ sample: GatewaySample) throws {
        for accepts in [false, true] {
            let fleet = Self.fleet(
                [
                    (Fleet.topic(Self.name, .status), sample.status.encoded),
                    (Fleet.topic(Self.name, .health), sample.health.encoded),
                    (Fleet.topic(Self.name, .reported), sample.report.encoded),
                ], accepts: accepts)
            let snapshot = try #require(fleet.snapshot(Self.name))
            #expect(snapshot.condition == (accepts ? sample.accepted : sample.condition))
        }
    }

    @Test("a radio that is lost just now is no silence of zero seconds")
    func lostRadio() throws {
        var health = Health(session: "run-1", at: Fleet.start, uptime: .seconds(9))
        health.radio.isHearing = false
        health.radio.lastReportAge = .milliseconds(200)
        let messages =
            Fleet.messages(Self.name, .deaf) + [(Fleet.topic(Self.name, .health), health.encoded)]
        #expect(try Self.snapshot(messages).reason == "its radio is lost")
        health.radio.lastReportAge = nil
        let silent = messages + [(Fleet.topic(Self.name, .health), health.encoded)]
        #expect(try Self.snapshot(silent).reason == "no report since its start")
    }

    @Test("health of another run says nothing of this one")
    func otherRun() throws {
        var health = Health(session: "run-0", at: Fleet.start, uptime: .seconds(1))
        health.outbox.oldestAge = .milliseconds(1_000_000)
        let messages =
            Fleet.messages(Self.name) + [(Fleet.topic(Self.name, .health), health.encoded)]
        let snapshot = try Self.snapshot(messages)
        #expect(snapshot.condition == .online && snapshot.health == nil)
    }

    @Test(
        "since when a state holds is what the messages tell, else nothing",
        arguments: [
            (nil, 0), (.offline, 60_000), (.deaf, 60_000 - 240_000), (.faulty, 0), (.refused, nil),
            (.unsynced, nil), (.backlog, 60_000 - 250_000), (.pending, nil),
        ] as [(Fleet.Failure?, Int64?)])
    func since(failure: Fleet.Failure?, milliseconds: Int64?) throws {
        let messages =
            Fleet.documents(sites: ["store-042"]) + Fleet.messages(Self.name, failure)
        #expect(
            try Self.snapshot(messages).since
                == milliseconds.map { Fleet.start + .milliseconds($0) })
    }

    @Test("a gateway without a status is unknown, and an emptied one is gone")
    func withoutStatus() throws {
        let messages = Fleet.messages(Self.name)
        let rest = try Self.snapshot(Array(messages.dropFirst()))
        #expect(rest.condition == .unknown && rest.reason == "it has published no status")
        let gone = Self.fleet(messages + messages.map { ($0.topic, []) })
        #expect(gone.names.isEmpty)
    }

    @Test("the worst come first, then the names")
    func order() {
        let fleet = Self.fleet(Fleet.large)
        let first = fleet.snapshots().prefix(6).map { "\($0.name) \($0.condition.rawValue)" }
        #expect(
            first == [
                "store-0/gate-5 offline", "store-19/gate-199 offline", "store-7/gate-77 offline",
                "store-4/gate-40 deaf", "store-14/gate-141 refused", "store-0/gate-0 online",
            ])
    }

    @Test("an unreadable message is no trap")
    func unreadable() {
        for payload in ["", "{", "[]", #"{"v":9}"#] {
            let messages = Topics.Kind.allCases.map {
                (Fleet.topic(Self.name, $0), Array(payload.utf8))
            }
            let documents = [
                "config/desired", "store-042/config/desired", "store-042/entry-1/config/desired",
            ].map { ("sightline/v1/\($0)", Array(payload.utf8)) }
            _ = Self.fleet(messages + documents).snapshots()
        }
    }
}
