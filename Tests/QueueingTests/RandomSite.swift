import Facts
import Primitives
import Sightings

@testable import Queueing

/// The messages of a site with three queues, from a seed: visits and passers-by, beacons that are used in turn or are clones,
/// windows of all widths and in parts, several sessions, and gateways that are deaf, or lose messages.
///
/// It is no model of radio. It reaches each rule of the room that could depend on an order.
struct RandomSite {
    /// Somebody who walks from an entry to a till.
    private struct Person {
        let walk: Scene.Walk
        let entry: String
        let till: String
        let senders: Int
    }

    var layout: SiteLayout
    /// Each with the beginning of the time that it tells of: a declared loss is older than its message.
    private(set) var messages: [(message: Scene.Message, since: UnixTime)] = []
    private(set) var receipts: [(receipt: Receipt, queue: String)] = []
    private var people: [Person] = []

    static let seconds: Int64 = 720
    /// The widest window.
    static let widest = Duration.seconds(10)
    private static let widths: [Int64] = [1000, 1000, 1000, 500, 5000]

    static func layout(queues: [Int] = [0, 1, 2]) throws -> SiteLayout {
        let texts = [
            #"{"queue":"a","entry":["door"],"till":["a1","a2"],"along":["mid"],"targetWaitMs":30000}"#,
            #"{"queue":"b","entry":["door"],"till":["b1"],"coverage":{"percent":40}}"#,
            #"{"queue":"c","entry":["door","side"],"till":["a1","c1"]}"#,
        ]
        let list = queues.map { texts[$0] }.joined(separator: ",")
        let text = #"{"sites":[{"site":"s","queues":[\#(list)]}]}"#
        return try QueueConfiguration(parsing: Array(text.utf8)).sites[0]
    }

    init(seed: UInt64) throws {
        layout = try Self.layout()
        var random = SplitMix64(seed: seed)
        addPeople(&random)
        for gateway in layout.gateways { addMessages(of: gateway, &random) }
        for second in stride(from: 5, to: Self.seconds, by: 7) {
            let count = Int64.random(in: 0...3, using: &random)
            receipts.append((Receipt(till: "a1", count: count, at: Scene.second(second)), "a"))
            // A till that contradicts itself.
            if Int.random(in: 0..<10, using: &random) == 0 {
                receipts.append(
                    (Receipt(till: "a1", count: count + 1, at: Scene.second(second)), "a"))
            }
        }
    }

    private mutating func addPeople(_ random: inout SplitMix64) {
        for number in 0..<36 as Range<UInt64> {
            // Four at a time.
            let joined = Int64(number / 4) * 70 + .random(in: 20...26, using: &random)
            add(number, joined, .random(in: 35...150, using: &random), &random)
        }
        // A beacon that people use in turn, and one that two people have.
        for visit in 0..<11 as Range<Int64> {
            add(100, 20 + visit * 62, .random(in: 34...45, using: &random), &random, till: "a1")
        }
        for till in ["a2", "b1"] {
            add(101, .random(in: 300...400, using: &random), 120, &random, till: till)
        }
    }

    private mutating func add(
        _ tag: UInt64, _ joined: Int64, _ wait: Int64, _ random: inout SplitMix64,
        till: String? = nil
    ) {
        people.append(
            Person(
                walk: Scene.Walk(tag: tag, joined: joined, left: joined + wait),
                entry: Bool.random(using: &random) ? "door" : "side",
                // Who goes to no till passes by.
                till: till ?? ["a1", "a2", "b1", "c1", ""].randomElement(using: &random) ?? "",
                senders: Int.random(in: 0..<20, using: &random) == 0 ? 2 : 1))
    }

    /// What a gateway hears of a person.
    private func power(_ person: Person, _ gateway: String, _ second: Int64) -> Double? {
        person.walk.powers(at: second).map { powers in
            switch gateway {
            case person.entry: powers.entry
            case person.till: powers.till
            case "mid": max(powers.entry, powers.till) - 8
            default: max(powers.entry, powers.till) - 20
            }
        }
    }

    private func readings(
        _ gateway: String, _ span: Range<Int64>, _ random: inout SplitMix64
    ) -> [Reading] {
        people.compactMap { person in
            let second = span.lowerBound / 1000
            guard Int.random(in: 0..<10, using: &random) > 0,
                let power = power(person, gateway, second)
            else { return nil }
            let start = Scene.start.start + .milliseconds(span.lowerBound)
            let length = span.upperBound - span.lowerBound
            let last = Int64.random(in: length / 2..<length, using: &random)
            return Reading(
                tag: Tag(rawValue: person.walk.tag),
                power: power + Double(Int.random(in: -8...8, using: &random)) / 4,
                count: .random(in: 1...5, using: &random),
                seen: start...start + .milliseconds(last),
                centroid: Bool.random(using: &random) ? start + .milliseconds(last / 2) : nil,
                senders: person.senders)
        }
    }

    /// The messages of a gateway, as an agent numbers them.
    private mutating func addMessages(of gateway: String, _ random: inout SplitMix64) {
        let width = Self.widths.randomElement(using: &random) ?? 1000
        var start = Int64.random(in: 0...2, using: &random) * 250
        var (session, number) = (0, UInt64(1))
        var deafUntil: Int64 = 0
        var lostUntil: Int64 = 0
        var silentUntil: Int64 = 0
        var lost: Loss?
        var lostSince: Int64?
        while start < Self.seconds * 1000 {
            switch Int.random(in: 0..<900_000, using: &random) {
            case 0..<2 * Int(width): deafUntil = start + .random(in: 0...30_000, using: &random)
            case 5000..<5000 + 2 * Int(width):
                lostUntil = start + .random(in: 0...20_000, using: &random)
            case 20_000..<20_000 + Int(width):
                silentUntil = start + .random(in: 0...20_000, using: &random)
            case 30_000..<30_000 + Int(width):
                (session, number, lost, lostSince) = (session + 1, 1, nil, nil)
                start += .random(in: 0...4000, using: &random)
            default: break
            }
            let isDeaf = start < deafUntil
            var readings = isDeaf ? [] : readings(gateway, start..<start + width, &random)
            // Adjacent empty windows become one.
            let merged: Int64 =
                readings.isEmpty && !isDeaf && width == 1000
                ? (1...10).randomElement(using: &random) ?? 1 : 1
            if merged > 1 { readings = [] }
            let end = start + width * merged
            let parts = readings.count > 1 && Int.random(in: 0..<20, using: &random) == 0 ? 2 : 1
            for part in 0..<parts {
                let numbers = number...number + UInt64(merged) - 1
                number += UInt64(merged)
                if start < lostUntil {
                    lostSince = lostSince ?? start
                    lost.merge(
                        Loss(
                            batches: UInt64(merged), fromSeq: numbers.lowerBound,
                            toSeq: numbers.upperBound, reason: .outboxFull))
                    continue
                }
                guard start >= silentUntil else { continue }
                let time = Scene.start.start
                let window = WindowFact(
                    session: "\(gateway)-\(session)", numbers: numbers, parts: parts,
                    span: time + .milliseconds(start)..<time + .milliseconds(end),
                    state: isDeaf ? .deaf : .hearing,
                    isSynced: Int.random(in: 0..<300, using: &random) > 0, lost: lost,
                    readings: readings.enumerated().filter { $0.offset % parts == part }
                        .map(\.element))
                messages.append(
                    (
                        Scene.Message(gateway: gateway, window: window),
                        time + .milliseconds(lostSince ?? start)
                    ))
                (lost, lostSince) = (nil, nil)
            }
            start = end
        }
    }
}
