import Contract
import MQTT
import MessageSamples
import Primitives
import Subscriber
import Testing

@testable import Subcommands

@Suite("the end of a rollout")
struct RolloutClosingTests {
    private static let root = "sightline/v1"

    /// A rollout for a layer, after the retained messages.
    static func rollout(
        _ name: LayerName = LayerName(site: "store-042"), retained: [Message] = [],
        _ configure: (inout RolloutRequest) -> Void = { _ in }
    ) throws -> Rollout {
        var request = RolloutRequest(edits: [
            .init(name: name, assignments: [try Assignment(parsing: "advertise.major=42")])
        ])
        configure(&request)
        var rollout = Rollout(request, at: RolloutTests.second)
        rollout.subscribed(at: RolloutTests.second)
        for message in retained { rollout.on(message, at: RolloutTests.second) }
        rollout.tick(at: RolloutTests.second + Rollout.quiet)
        return rollout
    }

    static func report(
        _ message: ReportedMessage, of gateway: GatewayName = Samples.entry
    ) -> Message {
        RolloutTests.report(message, of: gateway, isRetained: true)
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
        rollout.on(RolloutTests.document(#"{"version":2}"#), at: RolloutTests.at(2))
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
        rollout.on(RolloutTests.document(own), at: RolloutTests.at(2))
        rollout.on(RolloutTests.document(#"{"version":2}"#), at: RolloutTests.at(2))
        #expect(Self.ending(rollout).last == "1 gateway: 0 applied, 1 overtaken")
    }

    @Test("a removal by another client is no later version")
    func removedByOthers() throws {
        var rollout = try Self.rollout(retained: [Self.report(Reports.message())])
        #expect(rollout.nextPublication() != nil)
        rollout.on(RolloutTests.document(""), at: RolloutTests.at(2))
        #expect(Self.ending(rollout).first == "store-042/entry-1 silent")
    }

    @Test("an offline gateway takes a published document later")
    func away() throws {
        let retained = [Self.report(Reports.message()), RolloutTests.offline()]
        var rollout = try Self.rollout(retained: retained)
        #expect(rollout.waiting == "waiting for 1 of 1: store-042/entry-1 (offline)")
        let publication = rollout.nextPublication()
        let next = try #require(publication)
        #expect(Self.ending(rollout).first == "store-042/entry-1 silent (offline)")
        rollout.on(acknowledgement: next.token, .success, at: RolloutTests.at(2))
        rollout.on(
            RolloutTests.document(String(decoding: next.message.payload, as: UTF8.self)),
            at: RolloutTests.at(2))
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
        rollout.on(Self.report(Reports.message(site: 1)), at: RolloutTests.at(2))
        #expect(announced() == 1)
        rollout.on(RolloutTests.offline(), at: RolloutTests.at(3))
        rollout.on(
            Self.report(Reports.message(site: 1, isPersisted: false, session: "b")),
            at: RolloutTests.at(4))
        #expect(announced() == 0)
        rollout.on(Self.report(Reports.message(site: 2)), at: RolloutTests.at(5))
        #expect(announced() == 1)
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
            RolloutTests.notes(&rollout) == [
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
            RolloutTests.document(#"{"version":7,"advertise":{"major":1}}"#),
            Self.report(Reports.message(site: 7)),
            Self.report(Reports.message(site: 7), of: Samples.till),
            RolloutTests.offline(Samples.till),
        ]
        var rollout = try Self.rollout(retained: retained) {
            $0.edits = [.init(name: LayerName(site: "store-042"), assignments: [])]
            $0.mode = .remove
        }
        let publication = rollout.nextPublication()
        let next = try #require(publication)
        #expect(next.message.payload.isEmpty)
        #expect(next.message.isRetained)
        rollout.on(acknowledgement: next.token, .success, at: RolloutTests.at(2))
        // The echo of our own removal is no conflict.
        rollout.on(RolloutTests.document(""), at: RolloutTests.at(2))
        #expect(rollout.exit == nil)
        rollout.on(Self.report(Reports.message()), at: RolloutTests.at(3))
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
