import Contract
import MQTT
import MessageSamples
import Subscriber
import Testing

@testable import Tune

@Suite("A retuning, step by step")
struct CampaignTests {
    private static let topic = "sightline/v1/store-042/config/desired"

    /// One that sets a site's major to 42; `now` begins at one second.
    private static func campaign(
        _ configure: (inout Campaign.Order) -> Void = { _ in }
    ) throws -> Campaign {
        var order = Campaign.Order(wishes: [
            .init(
                name: LayerName(site: "store-042"),
                assignments: [try Assignment(parsing: "advertise.major=42")])
        ])
        configure(&order)
        return Campaign(order, at: second)
    }

    private static let second: Int64 = 1_000_000

    private static func report(
        _ message: ReportedMessage, of gateway: GatewayName = Samples.entry,
        isRetained: Bool = false
    ) -> Message {
        Message(
            topic: "sightline/v1/\(gateway)/config/reported", payload: message.encoded,
            isRetained: isRetained)
    }

    private static func document(_ text: String, isRetained: Bool = false) -> Message {
        Message(topic: topic, payload: Array(text.utf8), isRetained: isRetained)
    }

    /// One whose document, after version 3, has been published and acknowledged by second 2.
    private static func published(_ reports: [Message] = []) throws -> Campaign {
        var campaign = try campaign()
        campaign.subscribed(at: second)
        campaign.on(document(#"{"version":3}"#, isRetained: true), at: second)
        for report in reports { campaign.on(report, at: second) }
        campaign.pass(to: second + Campaign.quiet)
        let publication = campaign.nextPublication()
        let next = try #require(publication)
        #expect(
            String(decoding: next.message.payload, as: UTF8.self)
                == #"{"version":4,"advertise":{"major":42}}"#)
        #expect(next.message.isRetained)
        campaign.on(acknowledgement: next.token, .success, at: 2 * second)
        _ = campaign.takeNews()
        return campaign
    }

    private static func notes(_ campaign: inout Campaign) -> [String] {
        campaign.takeNews().compactMap { if case .note(let text) = $0 { text } else { nil } }
    }

    @Test("Retained messages are waited for until they pause, and not for ever")
    func gathering() throws {
        var campaign = try Self.campaign()
        campaign.pass(to: 10 * Self.second)
        #expect(campaign.editions == nil)
        campaign.subscribed(at: 10 * Self.second)
        var now = 10 * Self.second
        while campaign.editions == nil, now < 30 * Self.second {
            now += Campaign.quiet - 1
            campaign.on(Self.report(Reports.message(), isRetained: true), at: now)
            campaign.pass(to: now)
        }
        // What is not retained does not count.
        #expect(now > 10 * Self.second + Campaign.longestGathering)
        #expect(now < 11 * Self.second + Campaign.longestGathering)
        var other = try Self.campaign()
        other.subscribed(at: Self.second)
        other.on(Self.report(Reports.message()), at: Self.second + Campaign.quiet - 1)
        other.pass(to: Self.second + Campaign.quiet)
        #expect(other.editions != nil)
    }

    @Test("A broker that never answers the subscriptions is told of")
    func noSubscriptions() throws {
        var campaign = try Self.campaign()
        campaign.pass(to: Self.second + Campaign.longestSubscribing)
        #expect(campaign.exit == .failed)
        #expect(Self.notes(&campaign) == ["the broker does not answer our subscriptions"])
    }

    @Test("It ends when the last has answered")
    func done() throws {
        let old = Self.report(Reports.message(site: 3), isRetained: true)
        var campaign = try Self.published([old])
        #expect(campaign.exit == nil)
        campaign.on(Self.report(Reports.message(site: 4)), at: 3 * Self.second)
        #expect(campaign.exit == .done)
    }

    @Test("Without a difference, nobody is forgotten because another has answered")
    func unchanged() throws {
        var campaign = try Self.campaign()
        campaign.subscribed(at: Self.second)
        campaign.on(
            Self.document(#"{"version":3,"advertise":{"major":42}}"#, isRetained: true),
            at: Self.second)
        campaign.on(Self.report(Reports.message(site: 3)), at: Self.second)
        campaign.on(Self.report(Reports.message(site: 2), of: Samples.till), at: Self.second)
        campaign.pass(to: 2 * Self.second)
        #expect(campaign.nextPublication() == nil)
        #expect(campaign.exit == nil)
        #expect(campaign.unanswered == 1)
        campaign.pass(to: 33 * Self.second)
        #expect(campaign.exit == .failed)
    }

    @Test("One that turns up while others are awaited has to answer as well")
    func newcomer() throws {
        var campaign = try Self.published([Self.report(Reports.message(), isRetained: true)])
        campaign.on(Self.report(Reports.message(site: 2), of: Samples.till), at: 3 * Self.second)
        campaign.on(Self.report(Reports.message(site: 4)), at: 3 * Self.second)
        #expect(campaign.exit == nil)
        campaign.on(Self.report(Reports.message(site: 4), of: Samples.till), at: 3 * Self.second)
        #expect(campaign.exit == .done)
    }

    @Test("Gateways of other sites have no say")
    func others() throws {
        var campaign = try Self.published()
        let other = GatewayName(site: "other", id: "g")
        campaign.on(Self.report(Reports.message(site: 4), of: other), at: 3 * Self.second)
        #expect(campaign.judgements.isEmpty)
        #expect(campaign.exit == nil)
    }

    @Test("Time is up so long after the last acknowledgement")
    func timeout() throws {
        var campaign = try Self.published([Self.report(Reports.message(), isRetained: true)])
        #expect(campaign.wake == 32 * Self.second)
        campaign.pass(to: 32 * Self.second - 1)
        #expect(campaign.exit == nil)
        campaign.pass(to: 32 * Self.second)
        #expect(campaign.exit == .failed)
        // The broker never showed the document to us.
        #expect(Self.notes(&campaign).first?.contains("never showed it to us") == true)
    }

    @Test(
        "Whatever somebody else does to the document is a conflict, what stood before is not",
        arguments: [
            (#"{"version":4,"advertise":{"major":42}}"#, false, nil),
            (#"{"version":3}"#, true, nil),
            (#"{"version":4,"advertise":{"major":43}}"#, false, "published version 4"),
            (#"{"version":2}"#, false, "published version 2"), ("", false, "removed the document"),
            ("{", false, "which can't be read"),
        ] as [(String, Bool, String?)])
    func conflicts(text: String, isRetained: Bool, words: String?) throws {
        var campaign = try Self.published()
        campaign.on(Self.document(text, isRetained: isRetained), at: 3 * Self.second)
        let note = Self.notes(&campaign).first
        #expect(campaign.exit == (words == nil ? nil : .failed))
        #expect(words.map { note?.contains($0) == true } ?? (note == nil))
    }

    @Test("Who puts the old document back is noticed")
    func putBack() throws {
        var campaign = try Self.published()
        campaign.on(Self.document(#"{"version":4,"advertise":{"major":42}}"#), at: 3 * Self.second)
        #expect(campaign.exit == nil)
        campaign.on(Self.document(#"{"version":3}"#), at: 3 * Self.second)
        #expect(campaign.exit == .failed)
    }

    @Test(
        "After a new connection, what the broker lost is published again",
        arguments: [
            (nil, true), (#"{"version":3}"#, true),
            (#"{"version":4,"advertise":{"major":42}}"#, false),
        ] as [(String?, Bool)])
    func reconnection(retained: String?, isRepeated: Bool) throws {
        var campaign = try Self.published([Self.report(Reports.message(), isRetained: true)])
        campaign.lost(at: 3 * Self.second)
        campaign.subscribed(at: 4 * Self.second)
        if let retained {
            campaign.on(Self.document(retained, isRetained: true), at: 4 * Self.second)
        }
        // All have answered, but the document is not with the broker.
        campaign.on(Self.report(Reports.message(site: 4)), at: 4 * Self.second)
        #expect(campaign.exit == nil)
        campaign.pass(to: 5 * Self.second)
        let next = campaign.nextPublication()
        #expect((next != nil) == isRepeated)
        if let next { campaign.on(acknowledgement: next.token, .success, at: 5 * Self.second) }
        #expect(campaign.exit == .done)
    }

    @Test("After a new connection, another's document is a conflict")
    func reconnectionConflict() throws {
        var campaign = try Self.published()
        campaign.lost(at: 3 * Self.second)
        campaign.on(Self.document(#"{"version":9}"#, isRetained: true), at: 4 * Self.second)
        #expect(campaign.exit == .failed)
    }

    @Test("A refusal ends it")
    func refusal() throws {
        var campaign = try Self.campaign()
        campaign.subscribed(at: Self.second)
        campaign.pass(to: 2 * Self.second)
        _ = campaign.takeNews()
        let publication = campaign.nextPublication()
        let next = try #require(publication)
        campaign.on(acknowledgement: next.token, .quotaExceeded, at: 2 * Self.second)
        #expect(campaign.exit == .failed)
        #expect(
            Self.notes(&campaign) == [
                "the broker refused version 1 of \(Self.topic): quota exceeded (0x97)"
            ])
    }

    @Test("Answers to nothing of ours are ignored")
    func strayAcknowledgement() throws {
        var campaign = try Self.campaign()
        campaign.on(acknowledgement: .max, .success, at: Self.second)
        campaign.on(acknowledgement: 0, .success, at: Self.second)
        #expect(campaign.exit == nil)
    }

    @Test("A document that is too large to be delivered can't be read")
    func oversized() throws {
        var campaign = try Self.campaign()
        campaign.onOversized(topic: Self.topic, bytes: 2_000_000, at: Self.second)
        campaign.subscribed(at: Self.second)
        campaign.pass(to: 2 * Self.second)
        #expect(campaign.exit == .failed)
        #expect(Self.notes(&campaign).first?.contains("2000000 bytes") == true)
    }

    @Test(
        "Subscriptions are as narrow as can be",
        arguments: [
            (nil, nil, ["r/config/desired", "r/+/+/config/reported", "r/+/+/status"]),
            ("s", nil, ["r/s/config/desired", "r/s/+/config/reported", "r/s/+/status"]),
            ("s", "g", ["r/s/g/config/desired", "r/s/g/config/reported", "r/s/g/status"]),
        ] as [(String?, String?, [String])])
    func filters(site: String?, gateway: String?, filters: [String]) {
        let name = LayerName(site: site, gateway: gateway)
        let order = Campaign.Order(root: "r", wishes: [.init(name: name, assignments: [])])
        #expect(order.filters == filters)
    }

    @Test("A plan's subscriptions go site by site")
    func planFilters() throws {
        let plan = try Plan(parsing: Array("site,major,gateway,minor\na,1,x,1\nb,,y,1".utf8))
        let order = Campaign.Order(root: "r", wishes: plan.wishes, named: plan.gateways)
        #expect(
            order.filters
                == ["a", "b"].flatMap {
                    [
                        "r/\($0)/config/desired", "r/\($0)/+/config/desired",
                        "r/\($0)/+/config/reported", "r/\($0)/+/status",
                    ]
                })
    }

    @Test(
        "The bar fits its terminal",
        arguments: [
            (0, 4, 100, "[" + String(repeating: "-", count: 40) + "] 0 of 4 gateways, 12 s left"),
            (1, 4, 37, "[##------] 1 of 4 gateways, 12 s left"),
            (4, 4, 100, "[" + String(repeating: "#", count: 40) + "] 4 of 4 gateways, 12 s left"),
            (1, 4, 10, "1 of 4 gat"), (1, 4, 0, ""), (1, 0, -3, ""),
        ] as [(Int, Int, Int, String)])
    func bar(done: Int, total: Int, width: Int, text: String) {
        let bar = ProgressBar(done: done, total: total, left: 12_300_000)
        #expect(bar.text(width: width, unicode: false) == text)
    }
}
