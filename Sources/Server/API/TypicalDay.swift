import JSON
import Posix
import Primitives
import Queueing
import ResultStore
import Results

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

    private let key: Key
    /// The times that are not read yet: hours of the days.
    private var rest: ArraySlice<Range<UnixTime>>
    /// The summaries by day and slot.
    private var days: [UnixTime: [Int: PeriodSummary]] = [:]

    /// - Parameter today: the days before it count.
    init(_ key: Key, before today: LocalDay) {
        self.key = key
        var before: [LocalDay] = []
        var day = today
        for _ in 0..<Self.mostDays * 7 {
            day = LocalDay(containing: day.span.lowerBound - .milliseconds(1))
            if day.weekday == key.weekday { before.append(day) }
        }
        rest = before.flatMap(\.hours)[...]
    }

    /// Reads the next hour from the store.
    ///
    /// - Returns: whether there are more.
    mutating func addHour(_ store: any ResultStore) throws(StoreFailure) -> Bool {
        guard let hour = rest.popFirst() else { return false }
        let day = LocalDay(containing: hour.lowerBound).span.lowerBound
        for minute in try store.minutes(of: key.queue, at: key.site, in: hour) {
            guard let summary = PeriodSummary(bytes: minute.summary), summary.state != .unknown
            else { continue }
            let slot = LocalDay.clockMinute(of: minute.start) / Self.slotMinutes
            days[day, default: [:]][slot, default: PeriodSummary()].merge(summary)
        }
        return !rest.isEmpty
    }

    var json: JSON {
        let summaries = days.values.flatMap { $0 }
        let slots = Dictionary(grouping: summaries, by: \.key).mapValues { $0.map(\.value) }
            .sorted { $0.key < $1.key }
        let documents = slots.map { slot, days in
            Slot.members.json(of: Slot(startMinute: slot * Self.slotMinutes, days: days))
        }
        return ["weekday": .integer(Int64(key.weekday)), "slots": .array(documents)]
    }

    /// A slot with its summaries, one a day.
    struct Slot {
        let startMinute: Int
        let days: [PeriodSummary]

        private var waits: WaitHistogram {
            days.reduce(into: WaitHistogram()) { $0.merge($1.waits) }
        }
        private var length: Double? {
            let lengths = days.compactMap(\.meanLength)
            return lengths.isEmpty ? nil : lengths.reduce(0, +) / Double(lengths.count)
        }

        static let members: [ResultMember<Slot>] = [
            .integer("startMinute", atMost: 1439) { $0.startMinute },
            .integer("samples", "The days with waits in this slot.") { slot in
                slot.days.count { $0.waits.count > 0 }
            },
            .milliseconds(
                "medianMs", "The median of all their waits; null without waits.", atLeast: nil
            ) { $0.waits.quantile(0.5) }.nullable,
            .milliseconds("p90Ms", "The wait that one in ten of them exceeded.", atLeast: nil) {
                $0.waits.quantile(0.9)
            }.nullable,
            .number(
                "length", "The mean of the days' mean lengths; null if nothing is known.",
                places: 3, atLeast: nil
            ) { $0.length }.nullable,
        ]
    }
}

extension LocalDay {
    fileprivate var hours: [Range<UnixTime>] {
        stride(from: span.lowerBound.milliseconds, to: span.upperBound.milliseconds, by: 3_600_000)
            .map { start in
                // Where the clock changes by half an hour, the last one is shorter.
                let end = min(UnixTime(milliseconds: start + 3_600_000), span.upperBound)
                return UnixTime(milliseconds: start)..<end
            }
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
