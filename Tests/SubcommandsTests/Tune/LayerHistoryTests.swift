import Contract
import JSON
import MQTT
import MessageSamples
import Primitives
import Subscriber
import Testing

@testable import Subcommands

@Suite("the history of layer documents")
struct LayerHistoryTests {
    private static let site = LayerName(site: "store-042")

    /// `seconds` after 2026-05-28 20:26:40 UTC, by `date -u -d @1780000000`.
    private static func time(_ seconds: Int64) -> UnixTime {
        UnixTime(second: 1_780_000_000 + seconds)
    }

    private static func document(
        _ text: String, at seconds: Int64? = nil, replacing base: String? = nil
    ) -> RetainedDocument {
        var provenance = Provenance(replacing: base.map { RetainedDocument(Array($0.utf8)) })
        if let seconds { provenance = provenance.published(at: time(seconds)) }
        return RetainedDocument(Array(text.utf8), provenance)
    }

    private static func digest(_ text: String) -> SHA256Digest? { document(text).digest }

    /// Gateways of the store with these reports; the offline ones have a will.
    private static func roster(
        _ reports: [String: ReportedMessage], offline: Set<String> = []
    ) -> Roster {
        var roster = Roster()
        for (id, report) in reports {
            let name = GatewayName(site: "store-042", id: id)
            roster.on(.reported, of: name, payload: report.encoded)
            let state: StatusMessage.State = offline.contains(id) ? .offline : .online
            roster.on(.status, of: name, payload: Samples.status(state).encoded)
        }
        return roster
    }

    private static func lines(_ history: LayerHistory, isVerbose: Bool = false) -> [String] {
        HistoryReport(history: history, isVerbose: isVerbose, colours: false, unicode: true).lines
    }

    private static let old = #"{"version":11,"advertise":{"major":41}}"#
    private static let new = #"{"version":12,"advertise":{"major":42}}"#

    private static func report(
        _ version: Int64, _ text: String?, since seconds: Int64?,
        _ status: ReportedMessage.Status = .applied, _ errors: [LayerFault] = []
    ) -> ReportedMessage {
        Reports.message(
            site: version, status, errors, digests: LayerDigests(site: text.flatMap(digest)),
            since: LayerTimes(site: seconds.map(time)))
    }

    @Test("a change has its time, its difference, and the gateways with and without it")
    func change() {
        let history = LayerHistory(
            of: Self.site, [Self.site: Self.document(Self.new, at: 0, replacing: Self.old)],
            Self.roster(
                [
                    "a": Self.report(12, Self.new, since: 1),
                    "b": Self.report(12, Self.new, since: 62),
                    "c": Self.report(11, Self.old, since: -86400),
                    "d": Self.report(
                        11, Self.old, since: -86300, .refused,
                        [Reports.fault(.site, 12, "/advertise", .controllerRefused, "no")]),
                    "e": Self.report(11, Self.old, since: nil),
                ], offline: ["c"]))
        #expect(
            Self.lines(history) == [
                "2026-05-28 20:26:40 UTC  site store-042: version 12 replaces version 11",
                "  - /advertise/major 41", "  + /advertise/major 42",
                "  in force at 2 of 5 gateways (store-042/a, store-042/b),"
                    + " from 2026-05-28 20:26:41 UTC to 2026-05-28 20:27:42 UTC",
                "  not at store-042/c: offline; version 11 is in force there",
                "  not at store-042/d: refused; version 11 is in force there; /advertise: no",
                "  not at store-042/e: pending; version 11 is in force there",
                "before 2026-05-27 20:26:40 UTC  site store-042: version 11, no longer on the broker",
                "  its settings:", "  + /advertise/major 41",
                "  in force at 3 of 5 gateways (store-042/c, store-042/d, store-042/e),"
                    + " from 2026-05-27 20:26:40 UTC to 2026-05-27 20:28:20 UTC;"
                    + " of 1 the time is unknown (clock not set, or an agent before 0.2)",
            ])
        #expect(
            Self.lines(history, isVerbose: true).filter { $0.hasPrefix("    ") } == [
                "    store-042/a since 2026-05-28 20:26:41 UTC",
                "    store-042/b since 2026-05-28 20:27:42 UTC",
                "    store-042/c since 2026-05-27 20:26:40 UTC",
                "    store-042/d since 2026-05-27 20:28:20 UTC",
                "    store-042/e since an unknown time",
            ])
        #expect(
            history.entries[0].json(root: "sightline/v1").text
                == #"{"type":"version","layer":"site","topic":"sightline/v1/store-042/config/desired","version":12,"#
                + #""retained":true,"conflicting":false,"publishedAt":1780000000000,"replaces":11,"#
                + #""changes":[{"path":"/advertise/major","old":41,"new":42}],"settings":{"advertise":{"major":42}},"#
                + #""inForce":[{"site":"store-042","gateway":"a","since":1780000001000},"#
                + #"{"site":"store-042","gateway":"b","since":1780000062000}],"#
                + #""missing":[{"site":"store-042","gateway":"c","verdict":"offline","version":11,"reasons":[]},"#
                + #"{"site":"store-042","gateway":"d","verdict":"refused","version":11,"reasons":["/advertise: no"]},"#
                + #"{"site":"store-042","gateway":"e","verdict":"pending","version":11,"reasons":[]}]}"#
        )
    }

    @Test("an unknown time, earlier document or digest stays unknown")
    func unknown() {
        let history = LayerHistory(
            of: Self.site,
            [Self.site: Self.document(Self.new), LayerName(): Self.document("[]")],
            Self.roster([
                "a": Self.report(12, nil, since: nil),
                "b": Self.report(12, Self.old, since: nil),
                "c": Reports.message(),
            ]))
        #expect(
            Self.lines(history) == [
                "time unknown  the fleet: a document without a version",
                "  the document can't be read: a document must be an object, not an array",
                "  in force at no gateway",
                "time unknown  site store-042: version 12", "  its settings:",
                "  + /advertise/major 42",
                "  in force at 1 of 3 gateways (store-042/a), since an unknown time"
                    + " (clock not set, or an agent before 0.2)",
                "  not at store-042/b: overtaken; version 12 is in force there;"
                    + " another version 12 of the site's document is in force; tune again",
                "  not at store-042/c: pending; no document is in force there",
                "time unknown  site store-042: version 12, another document than the broker's",
                "  its settings are not known",
                "  in force at 1 of 3 gateways (store-042/b), since an unknown time"
                    + " (clock not set, or an agent before 0.2)",
            ])
    }

    @Test("a place has its own documents, those within it, and the wider ones; newest first")
    func places() {
        let gateway = LayerName(site: "store-042", gateway: "entry-1")
        let documents = [
            LayerName(): Self.document(#"{"version":3}"#, at: 20),
            Self.site: Self.document(#"{"version":12}"#, at: 30),
            gateway: Self.document(#"{"version":7}"#, at: 10),
            LayerName(site: "store-042", gateway: "exit-1"): Self.document(
                #"{"version":1}"#, at: 40),
            LayerName(site: "other"): Self.document(#"{"version":9}"#),
        ]
        func versions(_ place: LayerName) -> [Int64?] {
            LayerHistory(of: place, documents, Roster()).entries.map(\.version)
        }
        #expect(versions(LayerName()) == [1, 12, 3, 7, 9])
        #expect(versions(Self.site) == [1, 12, 3, 7])
        #expect(versions(gateway) == [12, 3, 7])
    }

    @Test("only the topics of documents are documents")
    func topics() {
        func name(_ topic: String) -> LayerName? { LayerName(topic: topic, root: "r/v1") }
        #expect(name("r/v1/config/desired") == LayerName())
        #expect(name("r/v1/s/config/desired") == LayerName(site: "s"))
        #expect(name("r/v1/s/g/config/desired") == LayerName(site: "s", gateway: "g"))
        for topic in [
            "r/v1/s/g/x/config/desired", "r/v1/s/g/config/reported", "r/v2/s/config/desired",
            "r/v1/s t/config/desired", "r/v1/s/g/status",
        ] {
            #expect(name(topic) == nil)
        }
    }

    @Test("twenty entries are shown, and all with --verbose")
    func long() {
        let documents = (1...25).map { number in
            (LayerName(site: "s\(number)"), Self.document(#"{"version":1}"#, at: Int64(number)))
        }
        let history = LayerHistory(
            of: LayerName(), Dictionary(uniqueKeysWithValues: documents), Roster())
        #expect(
            Self.lines(history).last == "and 5 earlier entries (--verbose shows them)")
        #expect(Self.lines(history).count == 20 * 3 + 1)
        #expect(Self.lines(history, isVerbose: true).count == 25 * 3)
        #expect(
            Self.lines(LayerHistory(of: LayerName(), [:], Roster()))
                == ["no document is retained or in force"])
    }
}
