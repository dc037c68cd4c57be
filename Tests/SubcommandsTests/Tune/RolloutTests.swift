import Contract
import MQTT
import MessageSamples
import Primitives
import Subscriber
import Testing

@testable import Subcommands

@Suite("a rollout, step by step")
struct RolloutTests {
    static let topic = "sightline/v1/store-042/config/desired"

    /// A rollout that sets a site's major to 42, from second 1.
    static func rollout(
        _ configure: (inout RolloutRequest) -> Void = { _ in }
    ) throws -> Rollout {
        var request = RolloutRequest(edits: [
            .init(
                name: LayerName(site: "store-042"),
                assignments: [try Assignment(parsing: "advertise.major=42")])
        ])
        configure(&request)
        return Rollout(request, at: second)
    }

    static let wall: UnixTime = 1_780_000_000_000
    static let second = Instant(microseconds: 1_000_000)

    static func at(_ seconds: Int64) -> Instant {
        Instant(microseconds: seconds * 1_000_000)
    }

    static func report(
        _ message: ReportedMessage, of gateway: GatewayName = Samples.entry,
        isRetained: Bool = false
    ) -> Message {
        Message(
            topic: "sightline/v1/\(gateway)/config/reported", payload: message.encoded,
            isRetained: isRetained)
    }

    static func document(_ text: String, isRetained: Bool = false) -> Message {
        Message(topic: topic, payload: Array(text.utf8), isRetained: isRetained)
    }

    /// A rollout whose document follows version 3 and is acknowledged at second 2.
    static func published(
        _ reports: [Message] = [], _ configure: (inout RolloutRequest) -> Void = { _ in }
    ) throws -> Rollout {
        var rollout = try rollout(configure)
        rollout.subscribed(at: second)
        rollout.on(document(#"{"version":3}"#, isRetained: true), at: second)
        for report in reports { rollout.on(report, at: second) }
        rollout.tick(at: second + Rollout.quiet)
        let publication = rollout.nextPublication()
        let next = try #require(publication)
        #expect(
            String(decoding: next.message.payload, as: UTF8.self)
                == #"{"version":4,"advertise":{"major":42}}"#)
        #expect(next.message.isRetained)
        rollout.on(acknowledgement: next.token, .success, at: Self.at(2))
        _ = rollout.takeOutputs()
        return rollout
    }

    static func notes(_ rollout: inout Rollout) -> [String] {
        rollout.takeOutputs().compactMap { if case .notice(let text) = $0 { text } else { nil } }
    }

    @Test("the gathering ends with a pause or at its limit")
    func gathering() throws {
        var rollout = try Self.rollout()
        rollout.tick(at: Self.at(10))
        #expect(rollout.delivery == nil)
        rollout.subscribed(at: Self.at(10))
        var now = Self.at(10)
        while rollout.delivery == nil, now < Self.at(30) {
            now = now + Rollout.quiet - .microseconds(1)
            rollout.on(Self.report(Reports.message(), isRetained: true), at: now)
            rollout.tick(at: now)
        }
        // Only retained messages extend the gathering.
        #expect(now > Self.at(10) + RetainedBarrier.longest)
        #expect(now < Self.at(11) + RetainedBarrier.longest)
        var other = try Self.rollout()
        other.subscribed(at: Self.second)
        other.on(Self.report(Reports.message()), at: Self.second + Rollout.quiet - .microseconds(1))
        other.tick(at: Self.second + Rollout.quiet)
        #expect(other.delivery != nil)
    }

    @Test(
        "more documents than allowed are published only after the user agrees",
        arguments: [true, false])
    func question(isAgreed: Bool) throws {
        var rollout = try Self.rollout { $0.mostUnasked = 0 }
        let base = Self.document(#"{"version":3}"#, isRetained: true)
        rollout.subscribed(at: Self.second)
        rollout.on(base, at: Self.second)
        rollout.tick(at: Self.second + Rollout.quiet)
        let questions = rollout.takeOutputs().compactMap {
            if case .question(let text) = $0 { text } else { nil }
        }
        #expect(questions == ["Publish 1 document?"])
        // Neither time nor another connection is an answer.
        rollout.tick(at: Self.at(500))
        rollout.lost(at: Self.at(501))
        rollout.subscribed(at: Self.at(502))
        rollout.on(base, at: Self.at(502))
        rollout.tick(at: Self.at(503))
        let early = rollout.nextPublication()
        #expect(early == nil && rollout.exit == nil)
        rollout.answer(isAgreed, at: Self.at(510))
        let next = rollout.nextPublication()
        #expect((next != nil) == isAgreed)
        #expect(rollout.exit == (isAgreed ? nil : .failed))
        #expect(rollout.delivery?.deadline == (isAgreed ? Self.at(540) : nil))
    }

    @Test("missing subscription acknowledgements end the rollout")
    func noSubscriptions() throws {
        var rollout = try Self.rollout()
        rollout.tick(at: Self.second + Rollout.longestSubscribing)
        #expect(rollout.exit == .failed)
        #expect(Self.notes(&rollout) == ["the broker did not acknowledge the subscriptions"])
    }

    @Test("the last result ends the rollout")
    func done() throws {
        let old = Self.report(Reports.message(site: 3), isRetained: true)
        var rollout = try Self.published([old])
        #expect(rollout.exit == nil)
        rollout.on(Self.report(Reports.message(site: 4)), at: Self.at(3))
        #expect(rollout.exit == .done)
    }

    @Test("an unchanged document waits for all gateways")
    func unchanged() throws {
        var rollout = try Self.rollout()
        rollout.subscribed(at: Self.second)
        rollout.on(
            Self.document(#"{"version":3,"advertise":{"major":42}}"#, isRetained: true),
            at: Self.second)
        rollout.on(Self.report(Reports.message(site: 3)), at: Self.second)
        rollout.on(Self.report(Reports.message(site: 2), of: Samples.till), at: Self.second)
        rollout.tick(at: Self.at(2))
        #expect(rollout.nextPublication() == nil)
        #expect(rollout.exit == nil)
        #expect(rollout.results.pending == 1)
        rollout.tick(at: Self.at(33))
        #expect(rollout.exit == .failed)
    }

    @Test("a new gateway must answer as well")
    func newcomer() throws {
        var rollout = try Self.published([Self.report(Reports.message(), isRetained: true)])
        rollout.on(Self.report(Reports.message(site: 2), of: Samples.till), at: Self.at(3))
        rollout.on(Self.report(Reports.message(site: 4)), at: Self.at(3))
        #expect(rollout.exit == nil)
        rollout.on(Self.report(Reports.message(site: 4), of: Samples.till), at: Self.at(3))
        #expect(rollout.exit == .done)
    }

    @Test("gateways of other sites do not count")
    func others() throws {
        var rollout = try Self.published()
        let other = GatewayName(site: "other", id: "g")
        rollout.on(Self.report(Reports.message(site: 4), of: other), at: Self.at(3))
        #expect(rollout.results.latest.isEmpty)
        #expect(rollout.exit == nil)
    }

    @Test("the timeout starts at the last acknowledgement")
    func timeout() throws {
        var rollout = try Self.published([Self.report(Reports.message(), isRetained: true)])
        rollout.on(Self.document(#"{"version":4,"advertise":{"major":42}}"#), at: Self.at(2))
        #expect(rollout.deadline == Self.at(32))
        rollout.tick(at: Self.at(32) - .microseconds(1))
        #expect(rollout.exit == nil)
        rollout.tick(at: Self.at(32))
        #expect(rollout.exit == .failed)
    }

    @Test("a document that the broker acknowledges and does not deliver back was refused")
    func refusedSilently() throws {
        for retained in [[], [Self.offline()]] {
            var rollout = try Self.published(
                [Self.report(Reports.message(), isRetained: true)] + retained)
            #expect(rollout.exit == nil)
            #expect(rollout.deadline == Self.at(2) + Rollout.confirmationTime)
            rollout.tick(at: Self.at(2) + Rollout.confirmationTime)
            #expect(rollout.exit == .failed)
            #expect(Self.notes(&rollout).first?.contains("did not deliver it back") == true)
        }
    }

    @Test("gateways that are offline are not waited for", arguments: [false, true])
    func offline(waits: Bool) throws {
        var rollout = try Self.published(
            [
                Self.report(Reports.message(), isRetained: true),
                Self.report(Reports.message(), of: Samples.till, isRetained: true),
                Self.offline(Samples.till),
            ]) { $0.waitsForOffline = waits }
        rollout.on(Self.document(#"{"version":4,"advertise":{"major":42}}"#), at: Self.at(2))
        #expect(rollout.exit == nil)
        rollout.on(Self.report(Reports.message(site: 4)), at: Self.at(3))
        #expect(rollout.exit == (waits ? nil : .partlyDone))
        rollout.tick(at: Self.at(32))
        #expect(rollout.exit == .partlyDone)
        #expect(rollout.summary(.partlyDone).offline == 1)
    }

    static func offline(_ gateway: GatewayName = Samples.entry) -> Message {
        Message(
            topic: "sightline/v1/\(gateway)/status", payload: Samples.status(.offline).encoded,
            isRetained: true)
    }

    @Test("unknown acknowledgements are ignored")
    func strayAcknowledgement() throws {
        var rollout = try Self.rollout()
        rollout.on(acknowledgement: .max, .success, at: Self.second)
        rollout.on(acknowledgement: 0, .success, at: Self.second)
        #expect(rollout.exit == nil)
    }

    @Test(
        "subscriptions are as narrow as possible",
        arguments: [
            (nil, nil, ["r/config/desired", "r/+/+/config/reported", "r/+/+/status"]),
            (
                "s", nil,
                ["r/s/config/desired", "r/s/+/config/reported", "r/s/+/status", "r/+/+/status"]
            ),
            (
                "s", "g",
                ["r/s/g/config/desired", "r/s/g/config/reported", "r/s/g/status", "r/+/+/status"]
            ),
        ] as [(String?, String?, [String])])
    func filters(site: String?, gateway: String?, filters: [String]) {
        let name = LayerName(site: site, gateway: gateway)
        let request = RolloutRequest(root: "r", edits: [.init(name: name, assignments: [])])
        #expect(request.filters == filters)
    }

    @Test("a plan subscribes site by site")
    func planFilters() throws {
        let plan = try Plan(parsing: Array("site,major,gateway,minor\na,1,x,1\nb,,y,1".utf8))
        let request = RolloutRequest(root: "r", edits: plan.edits, named: plan.gateways)
        #expect(
            request.filters
                == (["a", "b"].flatMap {
                    [
                        "r/\($0)/config/desired", "r/\($0)/+/config/desired",
                        "r/\($0)/+/config/reported", "r/\($0)/+/status",
                    ]
                } + ["r/+/+/status"]))
    }

    @Test(
        "the bar fits its terminal",
        arguments: [
            (0, 4, 100, "[" + String(repeating: "-", count: 40) + "] 0 of 4 gateways, 12 s left"),
            (1, 4, 37, "[##------] 1 of 4 gateways, 12 s left"),
            (4, 4, 100, "[" + String(repeating: "#", count: 40) + "] 4 of 4 gateways, 12 s left"),
            (1, 4, 10, "1 of 4 gat"), (1, 4, 0, ""), (1, 0, -3, ""),
        ] as [(Int, Int, Int, String)])
    func bar(done: Int, total: Int, width: Int, text: String) {
        let bar = ProgressBar(done: done, total: total, left: .milliseconds(12_300))
        #expect(bar.text(width: width, unicode: false) == text)
    }

    @Test("the bar names the first gateways without an answer, if there is room")
    func barNames() {
        let bar = ProgressBar(
            done: 1, total: 4, left: .seconds(12), open: ["a/w", "a/x", "a/y", "a/z"])
        #expect(
            bar.text(width: 59, unicode: false)
                == "[#---] 1 of 4 gateways, 12 s left: a/w, a/x, a/y and 1 more")
        #expect(bar.text(width: 37, unicode: false) == "[##------] 1 of 4 gateways, 12 s left")
    }
}

extension Rollout {
    /// The next message, published at a wall time of the tests.
    mutating func nextPublication() -> (message: Publication, token: UInt64)? {
        nextPublication(at: RolloutTests.wall)
    }
}
