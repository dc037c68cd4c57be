import Facts
import Primitives
import Queueing

extension StoreTable {
    /// All tables. Each one is behind those that it refers to.
    package static let all = [
        sites, queues, sources, facts, receipts, visits, siteDays, visitCounts, minutes, hours,
        days, counters, regionEvents, beaconEvents, beaconHours, placeLabels, regionChanges,
    ]

    package static func named(_ name: String) -> StoreTable? { all.first { $0.name == name } }

    /// `shard` is FNV-1a(site) mod 64: a chain of stores can later move whole shards to other servers.
    package static let sites = StoreTable(
        "sites", "names of sites",
        [.init("name", .text), .init("shard", .integer)], key: ["name"],
        isIntact: { $0.integer("shard") == Shard.of($0.text("name")) },
        rest: { key, _ in
            if case .text(let name) = key.first { [.integer(Shard.of(name))] } else { [] }
        })

    package static let queues = StoreTable(
        "queues", "names of queues", [.site, .init("name", .text)], key: ["site", "name"],
        rest: { _, _ in [] })

    /// No fact of a session is newer than `newest`, a bound ahead of its windows and no time of data.
    package static let sources = StoreTable(
        "sources", "sessions of gateways",
        [.site, .init("gateway", .text), .init("session", .text), .init("newest", .time)],
        key: ["site", "gateway", "session"], kept: .sessions,
        isDistinct: { $0.integer("newest") >= mostCounted },
        // By then, its facts are removed.
        rest: { _, now in [.time(now + .seconds(2 * 86_400))] })

    /// Rows are in the order of their arrival, and the index is in the order of time. A commit therefore changes few pages.
    /// A repetition of a message has the same start, so the index keeps it off.
    package static let facts = StoreTable(
        "facts", "windows of gateways with pseudonyms",
        [
            .site, .init("start", .time), .source, .init("number", .integer), .init("body", .bytes),
        ],
        key: ["site", "start", "source", "number"], kept: .evidence, time: "start",
        isIntact: { row in
            let fact = try? WindowFact(
                stored: row.bytes("body"), session: "",
                number: UInt64(bitPattern: row.integer("number")),
                start: UnixTime(milliseconds: row.integer("start")))
            return fact != nil
        })

    package static let receipts = StoreTable(
        "receipts", "counts of tills", since: 3,
        [.queue, .init("at", .time), .init("till", .text), .init("count", .integer)],
        key: ["queue", "at", "till"],
        conflict: .update(
            "count=CASE WHEN excluded.count>receipts.count THEN excluded.count ELSE receipts.count END"
        ),
        kept: .evidence, time: "at")

    package static let visits = StoreTable(
        "visits", "visits with pseudonyms",
        [
            .queue, .init("entered", .time), .init("left", .time), .init("tag", .integer),
            .init("document", .json),
        ],
        key: ["queue", "left", "entered", "tag"], kept: .evidence, time: "left")

    /// Never with an identity.
    package static let regionEvents = StoreTable(
        "region_events", "events of regions with pseudonyms", since: 5,
        [
            .site, .init("region", .text), .init("decided", .time), .init("tag", .integer),
            .init("event", .text), .init("document", .json),
        ],
        key: ["site", "region", "decided", "event"], kept: .evidence, time: "decided")

    /// Never of a visitor's beacon. No name of a region has a slash, and each beacon has.
    package static let beaconEvents = StoreTable(
        "beacon_events", "events of registered beacons", since: 6,
        [
            .site, .init("decided", .time), .init("beacon", .text), .init("event", .text),
            .init("document", .json),
        ],
        key: ["site", "decided", "event"], kept: .inventory, time: "decided",
        isDistinct: { $0.text("beacon").contains("/") })

    /// The text makes its rows unlike those of other tables in a damaged file.
    package static let beaconHours = StoreTable(
        "beacon_hours", "levels, rates and voltages of registered beacons", since: 6,
        [.site, .init("start", .time), .init("form", .text), .init("body", .bytes)],
        key: ["site", "start"], conflict: .update("body=excluded.body"), kept: .inventory,
        time: "start")

    /// Never of a person's beacon. A removed one has the shorter document, `{}`.
    package static let placeLabels = StoreTable(
        "place_labels", "places at which registered beacons stood", since: 7,
        [.site, .init("beacon", .text), .init("start", .time), .init("document", .json)],
        key: ["site", "beacon", "start"],
        conflict: .update(
            """
            document=CASE WHEN length(excluded.document)<length(place_labels.document)
            THEN excluded.document ELSE place_labels.document END
            """),
        kept: .hours, time: "start")

    /// The present regions of the browser follow from all of them.
    package static let regionChanges = StoreTable(
        "region_changes", "changes of regions in the browser", since: 8,
        [
            .site, .init("at", .time), .init("region", .text), .init("client", .text),
            .init("document", .json),
        ],
        key: ["site", "at", "region"], isDistinct: { !$0.text("region").contains("/") })

    /// The next day of a site begins with its newest levels.
    package static let siteDays = StoreTable(
        "site_days", "signal levels of gateways",
        [.site, .init("start", .time), .init("levels", .bytes)],
        key: ["site", "start"], kept: .levels, time: "start", keepsNewest: true)

    /// Final visits come in the same order after each restart: their number tells which ones were published. Another layout, or
    /// another program, finds other visits.
    package static let visitCounts = StoreTable(
        "visit_counts", "numbers of published visits", since: 2,
        [
            .queue, .init("day", .time), .init("count", .integer), .init("method", .text, since: 4),
        ],
        key: ["queue", "day"],
        conflict: .update(
            """
            method=excluded.method,
            count=CASE WHEN visit_counts.method=excluded.method AND visit_counts.count>excluded.count
            THEN visit_counts.count ELSE excluded.count END
            """),
        kept: .levels, time: "day")

    /// `mark` keeps the values that were published first.
    package static let minutes = StoreTable(
        "minutes", "sums of minutes",
        [
            .queue, .init("start", .time), .init("end", .time), .init("rev", .integer),
            .init("final", .integer), .init("mark", .bytes), .init("document", .json),
            .init("summary", .bytes),
        ],
        key: ["queue", "start"],
        conflict: .update(
            """
            "end"=excluded.end,rev=excluded.rev,final=excluded.final,document=excluded.document,
            summary=excluded.summary WHERE excluded.rev>minutes.rev
            OR (excluded.rev=minutes.rev AND excluded.final>minutes.final)
            """),
        kept: .minutes, time: "start",
        isIntact: { $0.integer("start") < $0.integer("end") })

    package static let hours = sums("hours", kept: .hours)
    package static let days = sums("days", kept: .days)

    static let counters = StoreTable(
        "counters", "numbers of messages of gateways",
        [.site, .init("gateway", .text), .init("outcome", .text), .init("count", .integer)],
        key: ["site", "gateway", "outcome"],
        conflict: .update("count=counters.count+excluded.count"),
        isDistinct: { $0.integer("count") < mostCounted })

    /// A time of this century is larger, as a number.
    private static let mostCounted: Int64 = 978_307_200_000

    private static func sums(_ name: String, kept: RetentionRule) -> StoreTable {
        let isOfHours = kept == .hours
        return StoreTable(
            name, "sums of \(name)",
            [.queue, .init("start", .time), .init("end", .time), .init("summary", .bytes)],
            key: ["queue", "start"],
            conflict: .update("\"end\"=excluded.end,summary=excluded.summary"),
            kept: kept, time: "start",
            isIntact: { $0.integer("start") < $0.integer("end") },
            isDistinct: { ($0.integer("end") &- $0.integer("start") <= 3_600_000) == isOfHours })
    }
}

/// The part of a chain that a site belongs to.
enum Shard {
    static let count: UInt64 = 64

    /// FNV-1a with 64 bits (draft-eastlake-fnv), modulo the number of shards.
    package static func of(_ site: String) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in site.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(hash % count)
    }
}
