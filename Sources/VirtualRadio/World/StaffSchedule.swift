import Primitives

/// The staff's ways, hour by hour: each hour begins at a post that the seed decides, and ends at the next hour's.
struct StaffSchedule: Sendable {
    /// Metres per second.
    private static let speed = 1.1

    private let random: SeededRandom
    private let staff: [Scenario.Staff]

    init(_ random: SeededRandom, _ staff: [Scenario.Staff]) {
        self.random = random
        self.staff = staff
    }

    /// The way of each member of the staff in hour number `number` of the timeline, from its start to its end.
    func visits(inHour number: Int64) -> [(visit: ShopVisit, major: UInt16)] {
        staff.enumerated().flatMap { group, staff in
            (0..<staff.count).map { index in
                let entity = Entity.staff(group: group, index: index)
                let minor = staff.firstMinor &+ UInt16(truncatingIfNeeded: index)
                return (visit(entity, minor, staff, inHour: number), staff.major)
            }
        }
    }

    private func visit(
        _ entity: UInt64, _ minor: UInt16, _ staff: Scenario.Staff, inHour number: Int64
    ) -> ShopVisit {
        let end = Instant(stretch: number + 1, of: VisitorSchedule.hour)
        var draws = Draws(random: random, entity: entity, hour: number)
        let home = firstPost(of: entity, staff, inHour: number + 1)
        var visit = ShopVisit(
            entity: entity, minor: minor, speed: Self.speed,
            start: Instant(stretch: number, of: VisitorSchedule.hour),
            at: firstPost(of: entity, staff, inHour: number))
        let farthest = staff.posts.map { $0.distance(to: home) }.max() ?? 0
        let reserve = Duration(
            truncatingSeconds: farthest / Self.speed + staff.stopSeconds.upperBound)
        let longestWalk = Duration(
            truncatingSeconds: (staff.posts.flatMap { a in staff.posts.map { a.distance(to: $0) } }
                .max() ?? 0) / Self.speed)
        // The way home is short enough for what remains of the hour.
        while visit.end + longestWalk + reserve < end {
            visit.walk(to: staff.posts[draws.index(of: staff.posts.count)])
            let seconds = draws.uniform(staff.stopSeconds)
            visit.wait(seconds: max(1, seconds))
        }
        visit.walk(to: home)
        visit.wait(until: end)
        return visit
    }

    private func firstPost(
        of entity: UInt64, _ staff: Scenario.Staff, inHour number: Int64
    ) -> Point {
        var draws = Draws(random: random, entity: entity, hour: number)
        return staff.posts[draws.index(of: staff.posts.count)]
    }

    /// The random numbers of one hour, in turn.
    private struct Draws {
        private static let room: Int64 = 1 << 16
        let random: SeededRandom
        let entity: UInt64
        let hour: Int64
        var count: Int64 = 0

        mutating func unit() -> Double {
            count += 1
            return random.unit(.staff, entity, hour &* Self.room &+ count)
        }

        mutating func index(of count: Int) -> Int { min(count - 1, Int(unit() * Double(count))) }

        mutating func uniform(_ range: ClosedRange<Double>) -> Double {
            range.lowerBound + (range.upperBound - range.lowerBound) * unit()
        }
    }
}
