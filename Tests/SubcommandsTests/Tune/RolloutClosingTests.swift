import Contract
import MQTT
import MessageSamples
import Primitives
import Subscriber
import Testing

@testable import Subcommands

@Suite("the end of a rollout")
struct RolloutClosingTests {
    private static let second = Instant(microseconds: 1_000_000)

    private static func at(_ seconds: Int64) -> Instant {
        Instant(microseconds: seconds * 1_000_000)
    }
    private static let root = "sightline/v1"

    /// A rollout for a layer, after the retained messages.
    private static func rollout(
        _ name: LayerName = LayerName(site: "store-042"), retained: [Message] = [],
        _ configure: (inout RolloutRequest) -> Void = { _ in }
    ) throws -> Rollout {
        var request = RolloutRequest(edits: [
            .init(name: name, assignments: [try Assignment(parsing: "advertise.major=42")])
        ])
        configure(&request)
        var rollout = Rollout(request, at: second)
        rollout.subscribed(at: second)
        for message in retained { rollout.on(message, at: second) }
        rollout.tick(at: second + Rollout.quiet)
        return rollout
    }

    private static func report(
        _ message: ReportedMessage, of gateway: GatewayName = Samples.entry
    ) -> Message {
        Message(
            topic: "\(root)/\(gateway)/config/reported", payload: message.encoded,
            isRetained: true)
    }

    private static func offline(_ gateway: GatewayName = Samples.entry) -> Message {
        Message(
            topic: "\(root)/\(gateway)/status", payload: Samples.status(.offline).encoded,
            isRetained: true)
    }

    private static func document(_ text: String) -> Message {
        Message(
            topic: "\(root)/store-042/config/desired", payload: Array(text.utf8),
            isRetained: false)
    }

    private static func notes(_ rollout: inout Rollout) -> [String] {
        rollout.takeOutputs().compactMap { if case .notice(let text) = $0 { text } else { nil } }
    }

    /// The last lines on standard output.
    private static func ending(_ rollout: Rollout) -> [String] {
        let reporter = PlainTuneReporter(root: root, colours: false, unicode: true)
        return rollout.results.latest.sorted { $0.key < $1.key }.map {
            reporter.line(
                $0.key, rollout.closing($0.key, $0.value), isInterrupted: rollout.isInterrupted)
        } + [reporter.line(rollout.summary(rollout.exit ?? .failed))]
    }

    @Test("a document overtaken before its acknowledgement may have been published")
    func overtaken() throws {
        var rollout = try Self.rollout(retained: [Self.report(Reports.message())])
        #expect(rollout.nextPublication() != nil)
        rollout.on(Self.document(#"{"version":2}"#), at: Self.at(2))
        // Before the other document is restored.
        rollout.interrupt()
        #expect(rollout.exit == .failed)
        #expect(
            Self.ending(rollout) == [
                "store-042/entry-1 overtaken: by version 2 of the site's document",
                "interrupted; 1 gateway: 0 applied, 1 overtaken; 1 document may have been published",
            ])
    }

    @Test("a document that the broker delivered counts as published")
    func echoed() throws {
        var rollout = try Self.rollout(retained: [Self.report(Reports.message())])
        let publication = rollout.nextPublication()
        let own = String(decoding: try #require(publication).message.payload, as: UTF8.self)
        rollout.on(Self.document(own), at: Self.at(2))
        rollout.on(Self.document(#"{"version":2}"#), at: Self.at(2))
        #expect(Self.ending(rollout).last == "1 gateway: 0 applied, 1 overtaken")
    }

    @Test("a removal by another client is no later version")
    func removedByOthers() throws {
        var rollout = try Self.rollout(retained: [Self.report(Reports.message())])
        #expect(rollout.nextPublication() != nil)
        rollout.on(Self.document(""), at: Self.at(2))
        #expect(Self.ending(rollout).first == "store-042/entry-1 silent")
    }

    @Test("an offline gateway takes a published document later")
    func away() throws {
        let retained = [Self.report(Reports.message()), Self.offline()]
        var rollout = try Self.rollout(retained: retained)
        #expect(rollout.waiting == "waiting for 1 of 1: store-042/entry-1 (offline)")
        let publication = rollout.nextPublication()
        let next = try #require(publication)
        #expect(Self.ending(rollout).first == "store-042/entry-1 silent (offline)")
        rollout.on(acknowledgement: next.token, .success, at: Self.at(2))
        rollout.on(
            Self.document(String(decoding: next.message.payload, as: UTF8.self)), at: Self.at(2))
        #expect(rollout.exit == .partlyDone)
        #expect(
            Self.ending(rollout) == [
                "store-042/entry-1 offline: it applies this when it returns",
                "1 gateway: 0 applied, 1 offline",
            ])
    }

    @Test("the waiting notice has three of many gateways")
    func many() throws {
        let rollout = try Self.rollout(
            retained: (1...5).map {
                Self.report(Reports.message(), of: GatewayName(site: "store-042", id: "g\($0)"))
            })
        let names = (1...3).map { "store-042/g\($0)" }.joined(separator: ", ")
        #expect(rollout.waiting == "waiting for 5 of 5: \(names) and 2 more")
    }

    @Test("a gateway is announced again only with another answer")
    func once() throws {
        var rollout = try Self.rollout(retained: [
            Self.report(Reports.message()), Self.report(Reports.message(), of: Samples.till),
        ])
        func announced() -> Int {
            rollout.takeOutputs().count { if case .result = $0 { true } else { false } }
        }
        rollout.on(Self.report(Reports.message(site: 1)), at: Self.at(2))
        #expect(announced() == 1)
        rollout.on(Self.offline(), at: Self.at(3))
        rollout.on(
            Self.report(Reports.message(site: 1, isPersisted: false, session: "b")),
            at: Self.at(4))
        #expect(announced() == 0)
        rollout.on(Self.report(Reports.message(site: 2)), at: Self.at(5))
        #expect(announced() == 1)
    }

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
            let notes = Self.notes(&rollout).filter { !$0.hasPrefix("dry run") }
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
        var rollout = Rollout(request, at: Self.second)
        var abilities = BrokerAbilities(version: .v5)
        abilities.retains = false
        rollout.connected(abilities)
        rollout.subscribed(at: Self.second)
        rollout.tick(at: Self.second + Rollout.quiet)
        let notes = Self.notes(&rollout)
        #expect(notes.count == 1 && notes[0].contains("keeps no retained messages"), "\(notes)")
        let publication = rollout.nextPublication()
        let next = try #require(publication)
        rollout.on(acknowledgement: next.token, .success, at: Self.at(2))
        rollout.tick(at: Self.at(3))
        #expect(rollout.exit == nil)
        #expect(rollout.results.latest[Samples.entry]?.verdict != .offline)
        rollout.on(Self.report(Reports.message(gateway: 1)), at: Self.at(4))
        #expect(rollout.results.latest[Samples.entry]?.verdict != .offline)
    }

    @Test("a place with a document on the broker is known")
    func prepared() throws {
        var rollout = try Self.rollout(retained: [Self.document(#"{"version":7}"#)])
        let publication = rollout.nextPublication()
        let next = try #require(publication)
        rollout.on(acknowledgement: next.token, .success, at: Self.at(2))
        rollout.on(
            Self.document(String(decoding: next.message.payload, as: UTF8.self)), at: Self.at(2))
        #expect(rollout.exit == .partlyDone)
        #expect(Self.notes(&rollout).last == "no gateway is known under site store-042")
    }

    @Test("a fleet without gateways is refused")
    func nobody() throws {
        var rollout = try Self.rollout(LayerName())
        #expect(rollout.exit == .wrongUse)
        #expect(Self.notes(&rollout).first == "no gateway is known under sightline/v1")
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
            Self.notes(&rollout) == [
                "no gateway is known under sightline/v1",
                "nothing was published; --create is for new sites and gateways",
            ])
    }

    @Test("the removal of nothing is done at once")
    func nothingToRemove() throws {
        var rollout = try Self.rollout(retained: [Self.report(Reports.message())]) {
            $0.edits = [.init(name: LayerName(site: "store-042"), assignments: [])]
            $0.mode = .remove
        }
        #expect(rollout.exit == .done)
        #expect(!rollout.hasResults)
        let reporter = PlainTuneReporter(root: Self.root, colours: false, unicode: true)
        let lines = rollout.takeOutputs().flatMap { output -> [String] in
            if case .revision(let revision) = output { reporter.lines(revision) } else { [] }
        }
        #expect(lines == ["sightline/v1/store-042/config/desired: nothing to remove"])
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
            Self.notes(&rollout) == [
                "note: nothing is known of c, a/x, a/y and 1 more yet:"
                    + " they take this when they first connect"
            ])
    }

    @Test("a document missing from the broker stops a plan")
    func lost() throws {
        let plan = try Plan(parsing: Array("site,major,gateway,minor\na,1,x,1\n".utf8))
        let name = GatewayName(site: "a", id: "x")
        func run(_ isReplacing: Bool) throws -> Rollout {
            let report = Self.report(Reports.message(site: 3, gateway: 1), of: name)
            return try Self.rollout(retained: [report]) {
                $0.edits = plan.edits
                $0.named = plan.gateways
                $0.mode = isReplacing ? .replace : .edit
            }
        }
        var rollout = try run(false)
        #expect(rollout.exit == .failed)
        #expect(rollout.nextPublication() == nil)
        let rest = "but the broker has no document: its settings would be lost;"
        #expect(
            Self.notes(&rollout) == [
                "a/x knows version 3 of sightline/v1/a/config/desired, \(rest)"
                    + " use --replace to publish a complete document",
                "a/x knows version 1 of sightline/v1/a/x/config/desired, \(rest)"
                    + " use --replace to publish a complete document",
            ])
        var replacing = try run(true)
        #expect(replacing.nextPublication() != nil)
    }

    @Test("a removal is complete when no gateway reports the layer")
    func removal() throws {
        let retained = [
            Self.document(#"{"version":7,"advertise":{"major":1}}"#),
            Self.report(Reports.message(site: 7)),
            Self.report(Reports.message(site: 7), of: Samples.till),
            Self.offline(Samples.till),
        ]
        var rollout = try Self.rollout(retained: retained) {
            $0.edits = [.init(name: LayerName(site: "store-042"), assignments: [])]
            $0.mode = .remove
        }
        let publication = rollout.nextPublication()
        let next = try #require(publication)
        #expect(next.message.payload.isEmpty)
        #expect(next.message.isRetained)
        rollout.on(acknowledgement: next.token, .success, at: Self.at(2))
        // The echo of our own removal is no conflict.
        rollout.on(Self.document(""), at: Self.at(2))
        #expect(rollout.exit == nil)
        rollout.on(Self.report(Reports.message()), at: Self.at(3))
        #expect(
            Self.ending(rollout) == [
                "store-042/entry-1 applied",
                "store-042/till-1 offline: it keeps the layer, because it did not receive the removal",
                "2 gateways: 1 applied, 1 offline",
            ])
        // It keeps the layer also after its return.
        #expect(rollout.exit == .failed)
    }
}
