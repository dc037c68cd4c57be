import Contract
import MQTT
import MessageSamples
import Subscriber
import Testing

@testable import Tune

@Suite("What a retuning says at its end")
struct CampaignClosingTests {
    private static let second: Int64 = 1_000_000
    private static let root = "sightline/v1"

    /// One that tunes a layer and has been handed to the broker, after what was retained.
    private static func campaign(
        _ name: LayerName = LayerName(site: "store-042"), retained: [Message] = [],
        _ configure: (inout Campaign.Order) -> Void = { _ in }
    ) throws -> Campaign {
        var order = Campaign.Order(wishes: [
            .init(name: name, assignments: [try Assignment(parsing: "advertise.major=42")])
        ])
        configure(&order)
        var campaign = Campaign(order, at: second)
        campaign.subscribed(at: second)
        for message in retained { campaign.on(message, at: second) }
        campaign.pass(to: second + Campaign.quiet)
        return campaign
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

    private static func notes(_ campaign: inout Campaign) -> [String] {
        campaign.takeNews().compactMap { if case .note(let text) = $0 { text } else { nil } }
    }

    /// The lines that people get at the end.
    private static func ending(_ campaign: Campaign) -> [String] {
        let reporter = PlainTuneReporter(root: root, colours: false, unicode: true)
        return campaign.judgements.sorted { $0.key < $1.key }.map {
            reporter.line(
                $0.key, campaign.closing($0.key, $0.value), isInterrupted: campaign.isInterrupted)
        } + [reporter.line(campaign.summary(campaign.exit ?? .failed))]
    }

    @Test("Who is overtaken before the acknowledgement is told that it may have been published")
    func overtaken() throws {
        var campaign = try Self.campaign(retained: [Self.report(Reports.message())])
        #expect(campaign.nextPublication() != nil)
        campaign.on(Self.document(#"{"version":2}"#), at: 2 * Self.second)
        #expect(campaign.exit == .failed)
        #expect(
            Self.ending(campaign) == [
                "store-042/entry-1 overtaken: by version 2 of the site's document",
                "1 gateway: 0 applied, 1 overtaken; 1 document may have been published",
            ])
    }

    @Test("What the broker has shown was published, whether or not it has said so")
    func echoed() throws {
        var campaign = try Self.campaign(retained: [Self.report(Reports.message())])
        let publication = campaign.nextPublication()
        let own = String(decoding: try #require(publication).message.payload, as: UTF8.self)
        campaign.on(Self.document(own), at: 2 * Self.second)
        campaign.on(Self.document(#"{"version":2}"#), at: 2 * Self.second)
        #expect(Self.ending(campaign).last == "1 gateway: 0 applied, 1 overtaken")
    }

    @Test("Who removes the document has published nothing newer")
    func removedByOthers() throws {
        var campaign = try Self.campaign(retained: [Self.report(Reports.message())])
        #expect(campaign.nextPublication() != nil)
        campaign.on(Self.document(""), at: 2 * Self.second)
        #expect(Self.ending(campaign).first == "store-042/entry-1 silent")
    }

    @Test("Who is away takes it later, if the broker has it")
    func away() throws {
        let retained = [Self.report(Reports.message()), Self.offline()]
        var campaign = try Self.campaign(retained: retained)
        #expect(campaign.waiting == "waiting for 1 of 1: store-042/entry-1 (offline)")
        let publication = campaign.nextPublication()
        let next = try #require(publication)
        #expect(Self.ending(campaign).first == "store-042/entry-1 silent (offline)")
        campaign.on(acknowledgement: next.token, .success, at: 2 * Self.second)
        #expect(
            Self.ending(campaign).first
                == "store-042/entry-1 silent (offline): it takes this when it is back")
        campaign.interrupt()
        #expect(
            Self.ending(campaign) == [
                "store-042/entry-1 no answer yet (offline): it takes this when it is back",
                "interrupted; 1 gateway: 0 applied, 1 without an answer yet",
            ])
    }

    @Test("Few are named of many that are waited for")
    func many() throws {
        let campaign = try Self.campaign(
            retained: (1...5).map {
                Self.report(Reports.message(), of: GatewayName(site: "store-042", id: "g\($0)"))
            })
        let names = (1...3).map { "store-042/g\($0)" }.joined(separator: ", ")
        #expect(campaign.waiting == "waiting for 5 of 5: \(names) and 2 more")
    }

    @Test("A gateway is listed once, also when it comes and goes; another answer is listed")
    func once() throws {
        var campaign = try Self.campaign(retained: [
            Self.report(Reports.message()), Self.report(Reports.message(), of: Samples.till),
        ])
        func judged() -> Int {
            campaign.takeNews().count { if case .judged = $0 { true } else { false } }
        }
        campaign.on(Self.report(Reports.message(site: 1)), at: 2 * Self.second)
        #expect(judged() == 1)
        campaign.on(Self.offline(), at: 3 * Self.second)
        campaign.on(
            Self.report(Reports.message(site: 1, isPersisted: false, session: "b")),
            at: 4 * Self.second)
        #expect(judged() == 0)
        campaign.on(Self.report(Reports.message(site: 2)), at: 5 * Self.second)
        #expect(judged() == 1)
    }

    @Test(
        "Places that nothing is known of are told once",
        arguments: [
            ("store-042", "till-1", "store-042/till-1 yet: it takes this when it first connects"),
            ("store-042", nil, nil), ("store-042", "entry-1", nil),
            ("store-044", nil, "store-044 yet: its gateways take this when they first connect"),
            (nil, nil, nil),
        ] as [(String?, String?, String?)])
    func unknown(site: String?, gateway: String?, words: String?) throws {
        let name = LayerName(site: site, gateway: gateway)
        for isDryRun in [false, true] {
            var campaign = try Self.campaign(name, retained: [Self.report(Reports.message())]) {
                $0.isDryRun = isDryRun
                if let site, let gateway { $0.named = [GatewayName(site: site, id: gateway)] }
            }
            let notes = Self.notes(&campaign).filter { $0.hasPrefix("note: ") }
            #expect(notes == (words.map { ["note: nothing is known of \($0)"] } ?? []))
        }
    }

    @Test("Of a plan's many unknown places, some are named")
    func unknownPlan() throws {
        let text = "site,major,gateway,minor\na,1,x,1\na,,y,2\nb,1,x,1\nc,1,,\n"
        let plan = try Plan(parsing: Array(text.utf8))
        var campaign = try Self.campaign {
            $0.wishes = plan.wishes
            $0.named = plan.gateways
        }
        #expect(
            Self.notes(&campaign) == [
                "note: nothing is known of c, a/x, a/y and 1 more yet:"
                    + " they take this when they first connect"
            ])
    }

    @Test("What the broker lost stops a plan, a sentence for each document")
    func lost() throws {
        let plan = try Plan(parsing: Array("site,major,gateway,minor\na,1,x,1\n".utf8))
        let name = GatewayName(site: "a", id: "x")
        func run(_ isReplacing: Bool) throws -> Campaign {
            let report = Self.report(Reports.message(site: 3, gateway: 1), of: name)
            return try Self.campaign(retained: [report]) {
                $0.wishes = plan.wishes
                $0.named = plan.gateways
                $0.isReplacing = isReplacing
            }
        }
        var campaign = try run(false)
        #expect(campaign.exit == .failed)
        #expect(campaign.nextPublication() == nil)
        let rest = "but the broker shows none: what it set would be lost;"
        #expect(
            Self.notes(&campaign) == [
                "a/x knows version 3 of sightline/v1/a/config/desired, \(rest)"
                    + " publish all of it with --replace",
                "a/x knows version 1 of sightline/v1/a/x/config/desired, \(rest)"
                    + " publish all of it with --replace",
            ])
        var replacing = try run(true)
        #expect(replacing.nextPublication() != nil)
    }

    @Test("A removal is over when nobody reports the layer any more")
    func removal() throws {
        let retained = [
            Self.document(#"{"version":7,"advertise":{"major":1}}"#),
            Self.report(Reports.message(site: 7)),
            Self.report(Reports.message(site: 7), of: Samples.till),
            Self.offline(Samples.till),
        ]
        var campaign = try Self.campaign(retained: retained) {
            $0.wishes = [.init(name: LayerName(site: "store-042"), assignments: [])]
            $0.isRemoving = true
        }
        let publication = campaign.nextPublication()
        let next = try #require(publication)
        #expect(next.message.payload.isEmpty)
        #expect(next.message.isRetained)
        campaign.on(acknowledgement: next.token, .success, at: 2 * Self.second)
        // Our own empty message is nobody else's doing.
        campaign.on(Self.document(""), at: 2 * Self.second)
        #expect(campaign.exit == nil)
        campaign.on(Self.report(Reports.message()), at: 3 * Self.second)
        #expect(
            Self.ending(campaign) == [
                "store-042/entry-1 applied",
                "store-042/till-1 silent (offline): it keeps the layer, for it did not see the removal",
                "2 gateways: 1 applied, 1 silent",
            ])
        campaign.on(Self.report(Reports.message(), of: Samples.till), at: 4 * Self.second)
        #expect(campaign.exit == .done)
    }
}
