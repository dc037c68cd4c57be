import Contract
import MQTT
import MessageSamples
import Primitives
import Subscriber
import Testing

@testable import Subcommands

extension RolloutClosingTests {
    @Test(
        "unknown places are refused with the nearest names, and reported with --create",
        arguments: [
            (
                "store-042", "entry1", "gateway store-042/entry1 is unknown; did you mean entry-1?",
                "store-042/entry1 yet: it takes this when it first connects"
            ),
            (
                "store-042", "x", "gateway store-042/x is unknown; known: entry-1",
                "store-042/x yet: it takes this when it first connects"
            ),
            (
                "stroe-042", "entry-1",
                "gateway stroe-042/entry-1 is unknown; did you mean store-042?",
                "stroe-042/entry-1 yet: it takes this when it first connects"
            ),
            ("store-042", nil, nil, nil), ("store-042", "entry-1", nil, nil),
            (
                "store-044", nil, "site store-044 is unknown; did you mean store-042?",
                "store-044 yet: its gateways take this when they first connect"
            ),
            (nil, nil, nil, nil),
        ] as [(String?, String?, String?, String?)])
    func unknown(site: String?, gateway: String?, refusal: String?, note: String?) throws {
        let name = LayerName(site: site, gateway: gateway)
        for (isDryRun, isCreating) in [(false, false), (false, true), (true, false), (true, true)] {
            var rollout = try Self.rollout(name, retained: [Self.report(Reports.message())]) {
                $0.isDryRun = isDryRun
                $0.createsPlaces = isCreating
                if let site, let gateway { $0.named = [GatewayName(site: site, id: gateway)] }
            }
            let notes = RolloutTests.notes(&rollout).filter { !$0.hasPrefix("dry run") }
            if isCreating {
                #expect(notes == (note.map { ["note: nothing is known of \($0)"] } ?? []))
                #expect((rollout.nextPublication() != nil) == !isDryRun)
            } else {
                let rest = "nothing was published; --create is for new sites and gateways"
                #expect(notes == (refusal.map { [$0, rest] } ?? []))
                #expect((rollout.exit == .wrongUse) == (refusal != nil))
                #expect((rollout.nextPublication() != nil) == (refusal == nil && !isDryRun))
            }
        }
    }

    @Test("without retained messages, an unseen gateway is neither unknown nor offline")
    func withoutRetainedMessages() throws {
        var request = RolloutRequest(edits: [
            .init(
                name: LayerName(site: "store-042", gateway: "entry-1"),
                assignments: [try Assignment(parsing: "advertise.major=42")])
        ])
        request.named = [Samples.entry]
        var rollout = Rollout(request, at: RolloutTests.second)
        var abilities = BrokerAbilities(version: .v5)
        abilities.retains = false
        rollout.connected(abilities)
        rollout.subscribed(at: RolloutTests.second)
        rollout.tick(at: RolloutTests.second + Rollout.quiet)
        let notes = RolloutTests.notes(&rollout)
        #expect(notes.count == 1 && notes[0].contains("keeps no retained messages"), "\(notes)")
        let publication = rollout.nextPublication()
        let next = try #require(publication)
        rollout.on(acknowledgement: next.token, .success, at: RolloutTests.at(2))
        rollout.tick(at: RolloutTests.at(3))
        #expect(rollout.exit == nil)
        #expect(rollout.results.latest[Samples.entry]?.verdict != .offline)
        rollout.on(Self.report(Reports.message(gateway: 1)), at: RolloutTests.at(4))
        #expect(rollout.results.latest[Samples.entry]?.verdict != .offline)
    }

    @Test("a place with a document on the broker is known")
    func prepared() throws {
        var rollout = try Self.rollout(retained: [RolloutTests.document(#"{"version":7}"#)])
        let publication = rollout.nextPublication()
        let next = try #require(publication)
        rollout.on(acknowledgement: next.token, .success, at: RolloutTests.at(2))
        rollout.on(
            RolloutTests.document(String(decoding: next.message.payload, as: UTF8.self)),
            at: RolloutTests.at(2))
        #expect(rollout.exit == .partlyDone)
        #expect(RolloutTests.notes(&rollout).last == "no gateway is known under site store-042")
    }

    @Test("a fleet without gateways is refused")
    func nobody() throws {
        var rollout = try Self.rollout(LayerName())
        #expect(rollout.exit == .wrongUse)
        #expect(RolloutTests.notes(&rollout).first == "no gateway is known under sightline/v1")
    }

    @Test("a plan for a broker without gateways is refused with one sentence")
    func nobodyOfPlan() throws {
        let plan = try Plan(parsing: Array("site,gateway,minor\na,x,1\na,y,2\nb,x,1\n".utf8))
        var rollout = try Self.rollout {
            $0.edits = plan.edits
            $0.named = plan.gateways
        }
        #expect(rollout.exit == .wrongUse)
        #expect(
            RolloutTests.notes(&rollout) == [
                "no gateway is known under sightline/v1",
                "nothing was published; --create is for new sites and gateways",
            ])
    }

    @Test("the notice has three of many unknown places")
    func unknownPlan() throws {
        let text = "site,major,gateway,minor\na,1,x,1\na,,y,2\nb,1,x,1\nc,1,,\n"
        let plan = try Plan(parsing: Array(text.utf8))
        var rollout = try Self.rollout {
            $0.edits = plan.edits
            $0.named = plan.gateways
            $0.createsPlaces = true
        }
        #expect(
            RolloutTests.notes(&rollout) == [
                "note: nothing is known of c, a/x, a/y and 1 more yet:"
                    + " they take this when they first connect"
            ])
    }
}
