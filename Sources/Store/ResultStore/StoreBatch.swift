import Facts
import Primitives
import Queueing

/// The rows that one turn of the server stores, in one transaction.
///
/// Storing the same facts, minutes and visits again changes nothing.
package struct StoreBatch: Sendable {
    /// A window of a gateway, in its stored form.
    package struct Fact: Sendable {
        package let site: String
        package let start: UnixTime
        package let gateway: String
        package let session: String
        package let number: UInt64
        package let body: [UInt8]

        package init(
            site: String, start: UnixTime, gateway: String, session: String, number: UInt64,
            body: [UInt8]
        ) {
            self.site = site
            self.start = start
            self.gateway = gateway
            self.session = session
            self.number = number
            self.body = body
        }
    }

    /// A published minute of a queue.
    package struct Minute: Equatable, Sendable {
        package let site: String
        package let queue: String
        package let start: UnixTime
        package let end: UnixTime
        /// The day of the site that it belongs to (`LocalDay`).
        package let day: Range<UnixTime>
        package let rev: Int
        package let isFinal: Bool
        /// The published JSON.
        package let document: [UInt8]
        /// A short JSON of the values that a restatement is compared with. The store keeps the first one.
        package let mark: [UInt8]
        /// The mergeable sums of the minute.
        package let summary: [UInt8]

        package init(
            site: String, queue: String, start: UnixTime, end: UnixTime, day: Range<UnixTime>,
            rev: Int,
            isFinal: Bool, document: [UInt8], mark: [UInt8], summary: [UInt8]
        ) {
            self.site = site
            self.queue = queue
            self.start = start
            self.end = end
            self.day = day
            self.rev = rev
            self.isFinal = isFinal
            self.document = document
            self.mark = mark
            self.summary = summary
        }
    }

    /// A final visit.
    package struct Visit: Equatable, Sendable {
        package let site: String
        package let queue: String
        package let entered: UnixTime
        package let left: UnixTime
        /// The tag of the day; `nil` if the configuration keeps counts only.
        package let tag: Tag?
        /// The published JSON, without the tag.
        package let document: [UInt8]

        package init(
            site: String, queue: String, entered: UnixTime, left: UnixTime, tag: Tag?,
            document: [UInt8]
        ) {
            self.site = site
            self.queue = queue
            self.entered = entered
            self.left = left
            self.tag = tag
            self.document = document
        }
    }

    /// An event of a region.
    package struct RegionEvent: Equatable, Sendable {
        package let site: String
        package let region: String
        package let decided: UnixTime
        /// The pseudonym of the day, or a hash of a beacon that no visitor carries.
        package let tag: Tag
        package let id: String
        /// The published JSON, without an identity.
        package let document: [UInt8]

        package init(
            site: String, region: String, decided: UnixTime, tag: Tag, id: String,
            document: [UInt8]
        ) {
            self.site = site
            self.region = region
            self.decided = decided
            self.tag = tag
            self.id = id
            self.document = document
        }
    }

    /// A till's own count.
    package struct TillReceipt: Sendable {
        package let site: String
        package let queue: String
        package let receipt: Receipt

        package init(site: String, queue: String, receipt: Receipt) {
            self.site = site
            self.queue = queue
            self.receipt = receipt
        }
    }

    /// The levels that a site had learnt when a day began.
    package struct Levels: Equatable, Sendable {
        package let site: String
        package let day: UnixTime
        package let levels: [UInt8]

        package init(site: String, day: UnixTime, levels: [UInt8]) {
            self.site = site
            self.day = day
            self.levels = levels
        }
    }

    /// How many visits of a queue were published on a day.
    package struct VisitCount: Equatable, Sendable {
        package let site: String
        package let queue: String
        package let day: UnixTime
        package let count: Int
        /// Names the layout and the program that found them: others find other visits.
        package let method: String

        package init(site: String, queue: String, day: UnixTime, count: Int, method: String) {
            self.site = site
            self.queue = queue
            self.day = day
            self.count = count
            self.method = method
        }
    }

    /// Messages of a gateway with one outcome.
    package struct Counter: Hashable, Sendable {
        package let site: String
        package let gateway: String
        package let outcome: String

        package init(site: String, gateway: String, outcome: String) {
            self.site = site
            self.gateway = gateway
            self.outcome = outcome
        }
    }

    package private(set) var facts: [Fact] = []
    package private(set) var receipts: [TillReceipt] = []
    package var minutes: [Minute] = []
    package var visits: [Visit] = []
    package var levels: [Levels] = []
    package var visitCounts: [VisitCount] = []
    package var regionEvents: [RegionEvent] = []
    package var beaconEvents: [BeaconEvent] = []
    package var beaconHours: [BeaconHour] = []
    package var placeLabels: [PlaceLabel] = []
    package var regionChanges: [RegionChange] = []
    /// Messages since the last batch.
    package var counts: [Counter: Int64] = [:]

    package init() {}

    package mutating func add(_ fact: WindowFact, site: String, gateway: String) {
        add(
            Fact(
                site: site, start: fact.span.lowerBound, gateway: gateway, session: fact.session,
                number: fact.number, body: fact.stored))
    }

    package mutating func add(_ receipt: Receipt, site: String, queue: String) {
        add(TillReceipt(site: site, queue: queue, receipt: receipt))
    }

    package mutating func add(_ receipt: TillReceipt) { receipts.append(receipt) }

    package mutating func add(_ fact: Fact) { facts.append(fact) }

    /// Adds the windows and receipts of another batch, without its results.
    package mutating func addFacts(of other: StoreBatch) {
        facts += other.facts
        receipts += other.receipts
    }

    package var isEmpty: Bool {
        facts.isEmpty && receipts.isEmpty && minutes.isEmpty && visits.isEmpty
            && levels.isEmpty && counts.isEmpty && visitCounts.isEmpty && regionEvents.isEmpty
            && beaconEvents.isEmpty && beaconHours.isEmpty && placeLabels.isEmpty
            && regionChanges.isEmpty
    }

    /// An estimate of the memory that it takes.
    package var bytes: Int {
        let perRow = 200
        return facts.reduce(0) { $0 + $1.body.count + perRow }
            + minutes.reduce(0) { $0 + $1.document.count + $1.summary.count + perRow }
            + visits.reduce(0) { $0 + $1.document.count + perRow }
            + levels.reduce(0) { $0 + $1.levels.count + perRow }
            + regionEvents.reduce(0) { $0 + $1.document.count + perRow }
            + beaconEvents.reduce(0) { $0 + $1.document.count + perRow }
            + beaconHours.reduce(0) { $0 + $1.body.count + perRow }
            + placeLabels.reduce(0) { $0 + $1.document.count + perRow }
            + regionChanges.reduce(0) { $0 + $1.document.count + perRow }
            + (receipts.count + counts.count + visitCounts.count) * perRow
    }

    /// Adds a later batch behind this one.
    package mutating func append(_ later: StoreBatch) {
        facts += later.facts
        receipts += later.receipts
        minutes += later.minutes
        visits += later.visits
        levels += later.levels
        visitCounts += later.visitCounts
        regionEvents += later.regionEvents
        beaconEvents += later.beaconEvents
        beaconHours += later.beaconHours
        placeLabels += later.placeLabels
        regionChanges += later.regionChanges
        counts.merge(later.counts, uniquingKeysWith: &+)
    }
}

/// The rows of a site, as the tables would give them.
extension StoreBatch {
    package func facts(of site: String, in range: Range<UnixTime>) -> [(String, WindowFact)] {
        facts.compactMap { fact in
            guard fact.site == site, range.contains(fact.start),
                let window = try? WindowFact(
                    stored: fact.body, session: fact.session, number: fact.number,
                    start: fact.start)
            else { return nil }
            return (fact.gateway, window)
        }
    }

    /// Whether it has a window of a gateway.
    package func has(_ window: WindowFact, of gateway: String, at site: String) -> Bool {
        facts.contains {
            $0.start == window.span.lowerBound && $0.number == window.number
                && $0.session == window.session && $0.gateway == gateway && $0.site == site
        }
    }

    /// The number of a gateway's windows that start in `range`.
    package func count(of gateway: String, at site: String, in range: Range<UnixTime>) -> Int {
        facts.count { range.contains($0.start) && $0.gateway == gateway && $0.site == site }
    }

    /// When the windows of a site start.
    package func starts(of site: String, in range: Range<UnixTime>) -> [UnixTime] {
        facts.filter { $0.site == site && range.contains($0.start) }.map(\.start)
    }

    package func receipts(of queue: String, at site: String, in range: Range<UnixTime>) -> [Receipt]
    {
        receipts.filter {
            $0.site == site && $0.queue == queue && range.contains($0.receipt.time)
        }.map(\.receipt)
    }

    package func visitCount(of queue: String, at site: String, day: UnixTime) -> VisitCount? {
        visitCounts.last { $0.site == site && $0.queue == queue && $0.day == day }
    }
}
