import Primitives
import Testing

@testable import Queueing

@Suite("the close levels of a site's gateways")
struct CloseLevelsTests {
    /// An entry and two tills, of one queue or of two.
    private static func levels(queues: [[String]] = [["till-1", "till-2"]]) throws -> CloseLevels {
        let queues = queues.enumerated().map { index, tills in
            #"{"queue":"q\#(index)","entry":["entry"],"till":\#(tills)}"#
        }
        let text = #"{"sites":[{"site":"s","queues":[\#(queues.joined(separator: ","))]}]}"#
        let layout = try QueueConfiguration(parsing: Array(text.utf8)).sites[0]
        return CloseLevels(
            layout.gateways.map { _ in CloseLevel() },
            roles: layout.queues.map { QueueRoles($0, gateways: layout.gateways) })
    }

    /// Adds tags with these powers at the tills, each of them with an error.
    private static func add(
        _ count: Int, at tills: (Double, Double), to levels: inout CloseLevels,
        _ random: inout SplitMix64
    ) {
        for _ in 0..<count {
            let powers = [tills.0, tills.1].map { $0 + Double.random(in: -2...2, using: &random) }
            levels.add([nil] + powers, at: 0)
        }
        levels.update(present: [])
    }

    @Test("a till with few visitors has the level of its role, and not that of passers-by")
    func fewVisitors() throws {
        var random = SplitMix64(seed: 1)
        var levels = try Self.levels()
        var alone = try Self.levels(queues: [["till-1"], ["till-2"]])
        for (count, powers) in [(1000, (-76.0, -74.0)), (95, (-50.0, -62.0)), (5, (-62.0, -51.0))] {
            Self.add(count, at: powers, to: &levels, &random)
            Self.add(count, at: powers, to: &alone, &random)
        }
        #expect(abs(levels[1] + 50) < 1)
        #expect(abs(levels[2] + 50) < 2)
        #expect(alone[2] < -60)
        // Their peers change nothing for gateways that are alone in their role.
        #expect(abs(alone[1] + 50) < 1)
    }

    @Test("a till that no visitor has used begins with the level of its role")
    func closed() throws {
        var random = SplitMix64(seed: 2)
        var levels = try Self.levels()
        Self.add(500, at: (-76, -74), to: &levels, &random)
        Self.add(50, at: (-50, -62), to: &levels, &random)
        #expect(abs(levels[2] + 50) < 1)
    }

    @Test("tags that have not left count as well")
    func present() throws {
        var levels = try Self.levels()
        levels.update(present: Array(repeating: [nil, -48, -60], count: 100))
        #expect(abs(levels[1] + 48) < 0.5)
        #expect(abs(levels[2] + 48) < 0.5)
    }
}
