import Facts
import JSON
import Primitives
import Queueing
import Regions
import ResultStore

/// The beacons that were in regions when an earlier run of the server ended, by its stored events.
struct StoredPresences {
    /// A beacon in a region.
    struct Presence {
        let region: String
        let tag: Tag
        let kind: TagKind?
        let decided: UnixTime
        /// Whether no gateway could tell.
        let isUnknown: Bool
    }

    private struct Place: Hashable {
        let region: String
        let tag: Tag
    }

    private struct Event {
        let id: String
        let word: String
        let kind: TagKind?
        let decided: UnixTime
    }

    private var events: [Place: [Event]] = [:]

    /// - Parameter rows: in the order of their decisions. A withdrawal has that of its event, and may come before it.
    init(_ rows: [StoreBatch.RegionEvent]) {
        let documents = rows.map { try? JSON(parsing: $0.document, maxBytes: 1 << 16) }
        var withdrawn: Set<String> = []
        for document in documents where document?["event"] == "withdrawn" {
            if case .string(let id)? = document?["of"] { withdrawn.insert(id) }
        }
        for (row, document) in zip(rows, documents) where !withdrawn.contains(row.id) {
            guard let document, case .string(let word)? = document["event"], word != "withdrawn"
            else { continue }
            let place = Place(region: row.region, tag: row.tag)
            var kind: TagKind?
            if case .string(let carrier)? = document["carrier"] {
                kind = TagKind(rawValue: carrier)
            }
            events[place, default: []].append(
                Event(id: row.id, word: word, kind: kind, decided: row.decided))
        }
    }

    /// Those whose last event is no exit.
    var inside: [Presence] {
        events.compactMap { place, events in
            guard let last = events.last, last.word != RegionEvent.Kind.exit.rawValue else {
                return nil
            }
            return Presence(
                region: place.region, tag: place.tag, kind: last.kind, decided: last.decided,
                isUnknown: last.word == RegionEvent.Kind.unknown.rawValue)
        }
    }
}

extension RegionEventResult {
    /// The row of the store.
    var row: StoreBatch.RegionEvent {
        StoreBatch.RegionEvent(
            site: site, region: event.region, decided: event.decidedAt, tag: event.tag, id: id,
            document: stored.bytes)
    }
}
