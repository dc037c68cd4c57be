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
        /// The counts of `TillsAtOnce`, and the tills with a gateway.
        var overtaken = TillsAtOnce.none
        var tills = 0
    }

    private var gateways: [String: Gateway] = [:]
    private var queues: [String: Queue] = [:]
    var approach = ApproachEvidence()

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
                queue.tills = reader.optionalInteger("tills", in: 0...1000) ?? 0
                for (number, count) in reader.pairs("overtaken", below: queue.overtaken.count) {
                    queue.overtaken[number] = Int(min(count, Int64(TillsAtOnce.manyStays)))
                }
                return (reader.string("queue"), queue)
            }
            for (name, queue) in queues { levels[queue: name] = queue }
            levels.approach =
                reader.optionalObject("approach") { ApproachEvidence(&$0) } ?? levels.approach
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
                "tills": .integer(Int64(queue.tills)),
                "overtaken": .pairs(queue.overtaken.enumerated().map { ($0, Int64($1)) }),
            ]
        }
        return [
            "v": 1, "gateways": .array(gateways), "queues": .array(queues),
            "approach": approach.json,
        ]
    }
}
