import Facts
import JSON
import Primitives

/// What the gateways of a site have learnt, and how its people come. It passes from one day to the next, as watermarks do.
///
/// It has powers, counts and odds, and nothing about any tag.
package struct LearntLevels: Equatable, Sendable {
    /// The state of one gateway's learning.
    struct Gateway: Equatable, Sendable {
        var close: CloseLevel
        /// The time of listening that the gateway still needs; zero once its level is learnt.
        var learning: Duration
    }

    /// The knowledge of one queue.
    struct Queue: Equatable, Sendable {
        var presence = PresenceCalibration()
        var recognition = Recognition()
        /// The counts of `ParallelTills`, and the tills with a gateway.
        var overtaken = ParallelTills.none
        var tills = 0
    }

    private var gateways: [String: Gateway] = [:]
    private var queues: [String: Queue] = [:]
    var shopping = ShoppingEvidence()

    /// Nothing is learnt yet.
    package init() {}

    subscript(gateway: String) -> Gateway? {
        get { gateways[gateway] }
        set { gateways[gateway] = newValue }
    }

    subscript(queue name: String) -> Queue? {
        get { queues[name] }
        set { queues[name] = newValue }
    }
}

extension LearntLevels {
    private static let mostGateways = 1000
    private static let mostQueues = 1000

    /// Reads what `json` wrote; throws all faults.
    package init(_ json: JSON) throws(Faults) {
        self = try ObjectReader.decode(json) { reader in
            _ = reader.integer("v", in: 1...1)
            var levels = LearntLevels()
            let gateways = reader.objects("gateways", atMost: Self.mostGateways) { reader in
                let days = reader.objects("days", atMost: CloseLevel.keptDays) {
                    CloseLevel.Day(&$0)
                }
                return (
                    reader.string("gateway"),
                    Gateway(
                        close: CloseLevel(days: days),
                        learning: .seconds(reader.integer("learningSeconds", in: 0...86_400)))
                )
            }
            for (name, gateway) in gateways { levels[name] = gateway }
            // Earlier versions calibrated nothing.
            let queues = reader.objects("queues", atMost: Self.mostQueues) { reader in
                var queue = Queue()
                queue.presence =
                    reader.object("presence") { PresenceCalibration(&$0) } ?? queue.presence
                queue.recognition =
                    reader.optionalObject("recognition") { Recognition(&$0) } ?? queue.recognition
                queue.tills = reader.optionalInteger("tills", in: 0...1000) ?? 0
                for (number, count) in reader.pairs("overtaken", below: queue.overtaken.count) {
                    queue.overtaken[number] = Int(min(count, Int64(ParallelTills.manyStays)))
                }
                return (reader.string("queue"), queue)
            }
            for (name, queue) in queues { levels[queue: name] = queue }
            levels.shopping =
                reader.optionalObject("approach") { ShoppingEvidence(&$0) } ?? levels.shopping
            return levels
        }
    }

    package var json: JSON {
        let gateways = gateways.sorted { $0.key < $1.key }.map { name, gateway -> JSON in
            [
                "gateway": .string(name),
                "learningSeconds": .integer(gateway.learning.wholeSeconds),
                "days": .array(gateway.close.days.map(\.json)),
            ]
        }
        let queues = queues.sorted { $0.key < $1.key }.map { name, queue -> JSON in
            [
                "queue": .string(name), "presence": queue.presence.json,
                "recognition": queue.recognition.json,
                "tills": .integer(Int64(queue.tills)),
                "overtaken": .pairs(queue.overtaken.enumerated().map { ($0, Int64($1)) }),
            ]
        }
        return [
            "v": 1, "gateways": .array(gateways), "queues": .array(queues),
            "approach": shopping.json,
        ]
    }
}

/// How long a gateway still learns its close level: a time of listening since its first tag. Until it is over, levels say nothing.
struct LearningTime {
    /// The time of listening that is still needed.
    private(set) var rest: Duration
    /// Learning begins with the first tag: before it, the line is empty.
    private var hasBegun = false
    /// A survey has measured the level: levels say something already.
    private let isSurveyed: Bool

    init(_ time: Duration, isSurveyed: Bool = false) {
        rest = time
        self.isSurveyed = isSurveyed
    }

    /// Marks a second in which the gateway is learning.
    mutating func on(_ second: inout GatewaySecond) {
        hasBegun = hasBegun || !second.levels.isEmpty
        guard hasBegun, rest > .zero, second.isHeard else { return }
        rest -= .seconds(1)
        if !isSurveyed { second.markAsLearning() }
    }
}

extension JSON {
    /// The bins that are not empty: an array of pairs, each a bin and its count.
    static func pairs(_ bins: some Sequence<(bin: Int, count: Int64)>) -> JSON {
        .array(
            bins.filter { $0.count != 0 }.map { [.integer(Int64($0.bin)), .integer($0.count)] })
    }
}

extension ObjectReader {
    /// Bins and their counts, as `JSON.pairs` wrote them; empty when they are absent.
    mutating func pairs(_ key: String, below limit: Int) -> [(bin: Int, count: Int64)] {
        guard let json = json(key) else { return [] }
        guard case .array(let elements) = json else {
            note(key, .wrongType, "\(key) must be an array of pairs, not \(json.kind)")
            return []
        }
        return elements.compactMap { element in
            guard case .array(let pair) = element, pair.count == 2,
                case .integer(let bin) = pair[0], case .integer(let count) = pair[1],
                (0..<Int64(limit)).contains(bin), count >= 0
            else {
                note(key, .outOfRange, "\(key) must have pairs of a bin below \(limit) and a count")
                return nil
            }
            return (Int(bin), count)
        }
    }
}
