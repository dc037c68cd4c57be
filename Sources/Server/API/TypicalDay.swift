import JSON
import Posix
import Primitives
import Queueing
import Store

/// The waits of the last days of one weekday, in slots of 15 minutes.
struct TypicalDay {
    struct Key: Hashable {
        let site: String
        let queue: String
        let weekday: Int
        /// The name of the present day.
        let today: String
    }

    private static let mostDays = 8
    private static let slotMinutes = 15

    private let weekday: Int
    /// The summaries of the days by slot.
    private var slots: [Int: [PeriodSummary]] = [:]

    /// - Parameter today: the days before it count.
    init(_ key: Key, before today: LocalDay, _ store: Store) throws(StoreFailure) {
        weekday = key.weekday
        var day = LocalDay(containing: today.span.lowerBound - .milliseconds(1))
        var found = 0
        for _ in 0..<Self.mostDays * 7 where found < Self.mostDays {
            if day.weekday == key.weekday {
                found += 1
                for (slot, summary) in try Self.slots(of: day, key, store) {
                    slots[slot, default: []].append(summary)
                }
            }
            day = LocalDay(containing: day.span.lowerBound - .milliseconds(1))
        }
    }

    var json: JSON {
        let slots = slots.sorted { $0.key < $1.key }.map { slot, days -> JSON in
            let waits = days.compactMap(\.waits.meanMs).sorted()
            let lengths = days.compactMap(\.meanLength)
            let mean = lengths.isEmpty ? nil : lengths.reduce(0, +) / Double(lengths.count)
            return [
                "startMinute": .integer(Int64(slot * Self.slotMinutes)),
                "samples": .integer(Int64(waits.count)), "p25Ms": Self.quantile(waits, 0.25),
                "medianMs": Self.quantile(waits, 0.5), "p75Ms": Self.quantile(waits, 0.75),
                "length": mean.map { .number(($0 * 1000).rounded() / 1000) } ?? .null,
            ]
        }
        return ["weekday": .integer(Int64(weekday)), "slots": .array(slots)]
    }

    private static func slots(
        of day: LocalDay, _ key: Key, _ store: Store
    ) throws(StoreFailure) -> [Int: PeriodSummary] {
        var slots: [Int: PeriodSummary] = [:]
        for minute in try store.minutes(of: key.queue, at: key.site, in: day.span) {
            guard let summary = PeriodSummary(bytes: minute.summary), summary.state != .unknown
            else { continue }
            let slot = LocalDay.clockMinute(of: minute.start) / slotMinutes
            slots[slot, default: PeriodSummary()].merge(summary)
        }
        return slots
    }

    /// The least value that `share` of the values do not exceed.
    private static func quantile(_ sorted: [Int64], _ share: Double) -> JSON {
        guard !sorted.isEmpty else { return .null }
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return .integer(sorted[min(max(1, rank), sorted.count) - 1])
    }
}

extension PeriodSummary {
    /// Reads what the store keeps; `nil` for other bytes.
    init?(bytes: [UInt8]) {
        guard let json = try? JSON(parsing: bytes, maxBytes: 1 << 16) else { return nil }
        try? self.init(stored: json)
    }

    /// The sum of stored sums.
    static func merged(_ parts: [[UInt8]]) -> [UInt8] {
        var sum = PeriodSummary()
        for part in parts { PeriodSummary(bytes: part).map { sum.merge($0) } }
        return sum.stored.bytes
    }
}
