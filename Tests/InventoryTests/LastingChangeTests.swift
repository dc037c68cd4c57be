import Facts
import Primitives
import Testing

@testable import Inventory

/// A beacon of each kind at one gateway, hour by hour.
@Suite("beacons in another place, or with another interval")
struct LastingChangeTests {
    private static let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
    private static let start: UnixSecond = 1_795_860_000

    private static func table() -> InventoryTable {
        let rows = ["fixed", "gateway", "asset"].enumerated()
            .map { "\(uuid),1,\($0.offset),\($0.element)\n" }
        return InventoryTable(
            Registry(parsing: Array("uuid,major,minor,kind\n\(rows.joined())".utf8)),
            on: "2026-11-28")
    }

    /// - Parameter hours: the level and the reports of each hour.
    private static func fold(_ hours: [(level: Double, reports: Double)]) -> (
        fold: InventoryFold, found: InventoryFold.Found
    ) {
        var fold = InventoryFold(table())
        var found = InventoryFold.Found()
        _ = fold.index(of: "a")
        for (number, hour) in hours.enumerated() {
            let begin = start.advanced(by: number * 3600)
            for index in fold.tracks.indices {
                let level = GatewaySecond.Level(
                    tag: fold.tracks[index].key, power: hour.level, senders: 1,
                    reports: hour.reports)
                _ = fold.tracks[index].hear(level, gateway: 0, limit: nil, at: begin)
            }
            fold.known = [3600]
            fold.closeHours(begin..<begin.advanced(by: 3600), &found)
        }
        return (fold, found)
    }

    private static let usual = Array(repeating: (level: -60.0, reports: 3600.0), count: 40)
    private static let moved = Array(repeating: (level: -75.0, reports: 3600.0), count: 8)
    private static let slower = Array(repeating: (level: -60.0, reports: 1200.0), count: 30)

    @Test("only a fixed beacon and a gateway's can be moved: assets move")
    func kinds() {
        let events = Self.fold(Self.usual + Self.moved).found.events
        #expect(events.map(\.kind) == [.moved, .moved])
        #expect(events.map(\.item) == ["\(Self.uuid)/1/0", "\(Self.uuid)/1/1"])
    }

    @Test("a stored hour has the longest of its silences")
    func silences() throws {
        var (fold, found) = (InventoryFold(Self.table()), InventoryFold.Found())
        fold.hourSilences = Array(repeating: 5, count: 3000) + [900]
        fold.closeHours(Self.start..<Self.start.advanced(by: 3600), &found)
        let hour = try #require(found.hours.first)
        let stored = try InventoryHour(stored: hour.stored, start: hour.start)
        #expect(stored.silences.count == SilencePool.most && stored.silences.first == 900)
    }

    @Test(
        "after a restart, another place is another place, and another interval another interval",
        arguments: [moved, slower])
    func restart(change: [(level: Double, reports: Double)]) throws {
        let (former, found) = Self.fold(Self.usual + change)
        var fold = InventoryFold(Self.table())
        for hour in found.hours {
            fold.restore(try InventoryHour(stored: hour.stored, start: hour.start))
        }
        let before = try #require(former.tracks[0].levels.change)
        let after = try #require(fold.tracks[0].levels.change)
        #expect(fold.evidence(of: after, 0).0 == former.evidence(of: before, 0).0)
        if case .slower = before { #expect(after == before) }
    }
}
