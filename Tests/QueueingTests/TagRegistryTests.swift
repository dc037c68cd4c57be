import Primitives
import Testing

@testable import Facts
@testable import Queueing

@Suite("the registry of tags")
struct TagRegistryTests {
    private func registry() throws -> TagRegistry {
        let layout = try Scene.layout()
        let roles = layout.queues.map { QueueRoles($0, gateways: layout.gateways) }
        return TagRegistry(close: layout.unlearntLevels, roles: roles)
    }

    /// A second in which both gateways hear, and the first one hears these tags.
    private func second(_ tags: Range<UInt64>) -> [GatewaySecond] {
        let levels = tags.map {
            GatewaySecond.Level(tag: Tag(rawValue: $0), power: -80, senders: 1)
        }
        return [
            GatewaySecond(heard: .seconds(1), levels: levels),
            GatewaySecond(heard: .seconds(1), levels: []),
        ]
    }

    @Test("a flood of identities is refused beyond a bound; those that were there stay")
    func flood() throws {
        var registry = try registry()
        _ = registry.on(second(50_000..<50_100), [PresenceCalibration()], at: 0)
        for time in 1..<5 as Range<UnixSecond> {
            _ = registry.on(second(0..<5000), [PresenceCalibration()], at: time)
        }
        #expect(registry.kinds.values.reduce(0, +) == 750)
        #expect(registry.refused == 4 * 4350)
        #expect(registry.views(at: 4, [PresenceCalibration()])[0].second == 4)
    }

    @Test("a flood at one gateway leaves room for the tags that come to another one")
    func otherGateway() throws {
        var registry = try registry()
        let flood = second(0..<5000)[0]
        _ = registry.on([flood, GatewaySecond(heard: .seconds(1))], [PresenceCalibration()], at: 0)
        let refused = registry.refused
        let others = second(5000..<5300)[0]
        _ = registry.on([flood, others], [PresenceCalibration()], at: 1)
        #expect(registry.kinds.values.reduce(0, +) == 1000)
        #expect(registry.refused == 2 * refused + 50)
    }

    @Test(
        "the loudest identities of a flood have a place, whatever their pseudonyms",
        arguments: [0, 1, 2] as [UInt64])
    func loudest(key: UInt64) throws {
        var registry = try registry()
        let levels = (0..<1100 as Range<UInt64>).map { number in
            GatewaySecond.Level(
                tag: Tag(rawValue: SplitMix64.mix(number ^ key)), power: -90 + Double(number) / 100,
                senders: number < 100 ? 2 : 1)
        }
        let second = GatewaySecond(
            heard: .seconds(1), levels: levels.sorted { $0.tag < $1.tag })
        for time in 0..<100 as Range<UnixSecond> {
            _ = registry.on(
                [second, GatewaySecond(heard: .seconds(1))], [PresenceCalibration()], at: time)
        }
        // Clones are the faintest ones.
        #expect(registry.kinds == [.visitor: 750])
    }

    @Test("tags that only pass by make room for others")
    func passing() throws {
        var registry = try registry()
        var time: UnixSecond = 0
        for group in 0..<60 as Range<UInt64> {
            _ = registry.on(
                second(group * 500..<group * 500 + 500), [PresenceCalibration()], at: time)
            for _ in 0...60 {
                time = time.next
                _ = registry.on(second(0..<0), [PresenceCalibration()], at: time)
            }
        }
        #expect(registry.refused == 0)
    }
}
