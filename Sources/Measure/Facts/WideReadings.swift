import Primitives

/// The readings of windows that are wider than a second, decoded once: each second of such a window asks for them.
///
/// A window without room is decoded each time. Each second asks for all windows that overlap, in the same order: to replace
/// the oldest entry would decode all of them.
struct WideReadings {
    private struct Key: Hashable {
        let session: String
        let number: UInt64
    }

    private struct Entry {
        let end: UnixTime
        /// In ascending order of tags.
        let readings: [TiltedReading]
    }

    private var entries: [Key: Entry] = [:]
    /// The readings of all entries.
    private(set) var count = 0

    /// About 4 MB. An agent's windows do not overlap, and have some thousands.
    static let most = 50_000

    /// Adds the readings of the tags that were heard in `span`, in ascending order of tags.
    mutating func add(
        _ window: WindowFact, in span: Range<UnixTime>, to readings: inout [Reading]
    ) {
        let key = Key(session: window.session, number: window.number)
        let known = entries[key]
        let entry = known ?? Self.decoded(window)
        if known == nil, count + entry.readings.count <= Self.most {
            entries[key] = entry
            count += entry.readings.count
        }
        for tilted in entry.readings where tilted.reading.seen.overlaps(span) {
            readings.append(tilted.reading(in: span))
        }
    }

    /// Forgets the windows that end before `time`.
    mutating func forget(before time: UnixTime) {
        guard !entries.isEmpty else { return }
        entries = entries.filter { $0.value.end > time }
        count = entries.values.reduce(0) { $0 + $1.readings.count }
    }

    private static func decoded(_ window: WindowFact) -> Entry {
        let sorted = window.readings.enumerated().sorted {
            ($0.element.tag, $0.offset) < ($1.element.tag, $1.offset)
        }
        return Entry(
            end: window.span.upperBound, readings: sorted.map { TiltedReading($0.element) })
    }
}
