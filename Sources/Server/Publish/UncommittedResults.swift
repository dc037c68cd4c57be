import Facts
import Inventory
import Queueing
import Regions
import ResultStore
import Results

/// Minutes and visits that are published once the store has them.
struct UncommittedResults {
    /// A result to publish.
    struct Released {
        let kind: ResultTopics.Kind
        let site: String
        let item: String
        let document: [UInt8]
    }

    /// None is empty.
    private var results: [Site.Results] = []
    private var released: [Released] = []

    mutating func add(_ new: Site.Results, site: String) {
        if new.isEmpty { return }
        results.append(new)
        released += new.minutes.map {
            Released(kind: .minutes, site: site, item: $0.queue, document: $0.document)
        }
        released += new.visits.map {
            Released(kind: .visits, site: site, item: $0.queue, document: $0.document)
        }
        released += new.regionEvents.map {
            Released(
                kind: .regionEvents, site: site, item: $0.event.region, document: $0.json.bytes)
        }
        released += new.beaconEvents.map {
            Released(kind: .beaconEvents, site: site, item: "", document: $0.json.bytes)
        }
    }

    /// Beyond it, the owner computes no further results until the store takes these.
    private static let most = 2000

    var isEmpty: Bool { results.isEmpty }

    var isFull: Bool { released.count >= Self.most }

    /// Adds what must be stored.
    func add(to batch: inout StoreBatch) {
        for result in results {
            batch.minutes += result.minutes
            batch.visits += result.visits
            batch.levels += result.levels
            batch.visitCounts += result.visitCounts
            batch.regionEvents += result.regionEvents.map(\.row)
            batch.beaconEvents += result.beaconEvents.map(\.row)
            batch.beaconHours += result.beaconHours
            batch.placeLabels += result.placeLabels
            batch.regionChanges += result.regionChanges
        }
    }

    /// The results to publish after the commit. Nothing is left.
    mutating func take() -> [Released] {
        defer { self = UncommittedResults() }
        return released
    }
}

/// The minutes that are not final, on their way to readers, some at a time.
///
/// They change with each window; once a minute is enough, and after each final minute.
struct ProvisionalMinutes {
    private var minute: UnixSecond = 0
    /// Whether the last ones do not follow from all that has arrived.
    private var areOutdated = false
    private var rest: ArraySlice<QueuePeriod> = []

    private static let atOnce = 10

    /// Whether none are left to publish now.
    var isEmpty: Bool { rest.isEmpty }

    /// - Parameters:
    ///   - isFinalNew: whether a minute has become final since the last call.
    ///   - isBehind: whether more has arrived than is folded.
    ///   - all: the minutes by present knowledge.
    /// - Returns: those to publish now.
    mutating func next(
        at second: UnixSecond, isFinalNew: Bool, isBehind: Bool, _ all: () -> [QueuePeriod]
    ) -> ArraySlice<QueuePeriod> {
        areOutdated = areOutdated || isFinalNew
        let present = second.floored(to: QueuePeriod.step)
        if present > minute || areOutdated && !isBehind {
            minute = present
            areOutdated = isBehind
            rest = all()[...]
        }
        defer { rest = rest.dropFirst(Self.atOnce) }
        return rest.prefix(Self.atOnce)
    }
}

extension Site {
    /// What a change of the site brings to the store and to readers.
    struct Results {
        var minutes: [StoreBatch.Minute] = []
        var visits: [StoreBatch.Visit] = []
        var levels: [StoreBatch.Levels] = []
        var visitCounts: [StoreBatch.VisitCount] = []
        var regionEvents: [RegionEventResult] = []
        var beaconEvents: [BeaconEventResult] = []
        var beaconHours: [StoreBatch.BeaconHour] = []
        var placeLabels: [StoreBatch.PlaceLabel] = []
        var regionChanges: [StoreBatch.RegionChange] = []

        var isEmpty: Bool {
            minutes.isEmpty && visits.isEmpty && levels.isEmpty && visitCounts.isEmpty
                && regionEvents.isEmpty && beaconEvents.isEmpty && beaconHours.isEmpty
                && placeLabels.isEmpty && regionChanges.isEmpty
        }

        static func + (left: Results, right: Results) -> Results {
            var sum = left
            sum.minutes += right.minutes
            sum.visits += right.visits
            sum.levels += right.levels
            sum.visitCounts += right.visitCounts
            sum.regionEvents += right.regionEvents
            sum.beaconEvents += right.beaconEvents
            sum.beaconHours += right.beaconHours
            sum.placeLabels += right.placeLabels
            sum.regionChanges += right.regionChanges
            return sum
        }
    }
}
