import Primitives

/// The course of one queue, for visitors who come in the order of time.
struct WaitingLine: Sendable {
    private let random: SeededRandom
    private let queue: Scenario.Queue
    private let index: Int
    private let door: Point
    private let exit: Point
    /// When each till is free again.
    private var free: [Instant]
    /// When those who wait have left the line.
    private var waiting: [Instant] = []
    /// When those who wait or are at a till have left.
    private var leaving: [Instant] = []

    init(_ random: SeededRandom, _ people: Scenario.People, queue index: Int) {
        self.random = random
        self.index = index
        queue = people.queues[index]
        door = people.door
        exit = people.exit
        free = Array(repeating: Instant(microseconds: .min), count: queue.tills.count)
    }

    /// Takes a visitor who has reached the entry through the line and out.
    mutating func admit(_ visit: inout ShopVisit) {
        let joined = visit.end
        waiting.removeAll { $0 <= joined }
        leaving.removeAll { $0 <= joined }
        guard leaving.count < queue.maxLength else {
            visit.stay = stay(.turnedAway, joined, joined, joined)
            visit.walk(to: exit)
            return
        }
        let (till, call) = nextTill(from: joined)
        let end = min(call, patience(of: visit.entity).map { joined + $0 } ?? call)
        if call > joined { stand(until: end, &visit) }
        let called = visit.end
        if call > joined { waiting.append(called) }
        guard end == call else {
            visit.stay = stay(.gaveUp, joined, called, called)
            leaving.append(called)
            visit.walk(to: door)
            return
        }
        visit.walk(to: queue.tills[till].place)
        let seconds = random.uniform(queue.serviceSeconds, .service, visit.entity)
        visit.wait(seconds: seconds)
        free[till] = visit.end
        leaving.append(visit.end)
        visit.stay = stay(.served, joined, called, visit.end, till: till)
        visit.walk(to: exit)
    }

    /// Stands in line until `end`, and follows those in front.
    private func stand(until end: Instant, _ visit: inout ShopVisit) {
        visit.walk(to: place(inLine: waiting.count))
        for (number, leaving) in waiting.sorted().enumerated() where leaving < end {
            visit.wait(until: leaving)
            visit.walk(to: place(inLine: waiting.count - number - 1))
        }
        visit.wait(until: end)
    }

    /// The till that takes the next visitor, and when.
    private func nextTill(from joined: Instant) -> (till: Int, call: Instant) {
        let calls = queue.tills.indices.compactMap { till -> (till: Int, call: Instant)? in
            let time = max(free[till], joined)
            guard let open = queue.tills[till].open else { return (till, time) }
            return open.next(from: time).map { (till, $0) }
        }
        return calls.min { $0.call < $1.call } ?? (0, joined)
    }

    /// How long the visitor waits; `nil` for one who waits to the end.
    private func patience(of entity: UInt64) -> Duration? {
        guard random.unit(.patience, entity, 0) * 100 < queue.giveUpPercent else { return nil }
        return Duration(
            truncatingSeconds: random.uniform(queue.patienceSeconds, .patience, entity, 1))
    }

    /// Where one stands with `count` people before oneself who are not at a till.
    private func place(inLine count: Int) -> Point {
        queue.tills[0].place.towards(queue.entry, by: Double(count + 1) * queue.spacing)
    }

    private func stay(
        _ outcome: QueueStay.Outcome, _ joined: Instant, _ called: Instant, _ left: Instant,
        till: Int? = nil
    ) -> QueueStay {
        QueueStay(
            queue: index, outcome: outcome, joined: joined, called: called, left: left, till: till)
    }
}
