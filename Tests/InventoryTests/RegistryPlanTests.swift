import Inventory
import Testing

@Suite struct RegistryPlanTests {
    private static let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"

    /// Rows as `major/minor kind zone`.
    private static func plan(_ rows: String...) -> RegistryPlan {
        let lines = rows.map { row in
            let parts = row.split(separator: " ", omittingEmptySubsequences: false)
            let numbers = parts[0].split(separator: "/")
            return "\(uuid),\(numbers[0]),\(numbers[1]),\(parts[1]),\(parts[2])\n"
        }
        let registry = Registry(
            parsing: Array(("uuid,major,minor,kind,zone\n" + lines.joined()).utf8))
        #expect(registry.faults == [])
        return RegistryPlan(registry, on: "2026-11-28")
    }

    private static func changes(_ plan: RegistryPlan) -> [String] {
        plan.changes.map { "\($0.beacon.line) \($0.major)/\($0.minor)" }
    }

    @Test("a zone keeps the major number of most of its beacons")
    func majority() {
        let plan = Self.plan(
            "7/1 fixed sales", "7/2 gateway sales", "8/3 fixed sales", "8/4 fixed tills",
            "7/5 fixed store", "9/6 fixed store", "9/7 fixed store")
        #expect(plan.majors.map(\.zone) == ["sales", "tills", "store"])
        #expect(plan.majors.map(\.major) == [7, 8, 9])
        #expect(Self.changes(plan) == ["4 7/3", "6 9/5"])
        #expect(plan.unplaced.isEmpty && plan.withoutZone.isEmpty)
    }

    @Test("numbers of other kinds and of beacons without a zone stay in use")
    func reserved() {
        let plan = Self.plan(
            "1/1 fixed ", "2/* visitor ", "3/1 fixed sales", "3/9 asset sales", "1/5 fixed sales")
        #expect(plan.withoutZone.map(\.line) == [2])
        #expect(plan.majors.map(\.major) == [4])
        #expect(Self.changes(plan) == ["4 4/1", "6 4/5"])
    }

    @Test("a second beacon with the minor number gets the next free one")
    func minors() {
        let plan = Self.plan(
            "1/1 fixed a", "2/1 fixed a", "3/1 fixed a", "1/2 fixed a", "4/3 fixed b")
        #expect(Self.changes(plan) == ["3 1/3", "4 1/4"])
    }

    @Test("a registry that follows the plan has no change")
    func stable() {
        let plan = Self.plan("1/1 fixed a", "1/2 gateway a", "2/1 fixed b")
        #expect(plan.changes.isEmpty)
    }
}
