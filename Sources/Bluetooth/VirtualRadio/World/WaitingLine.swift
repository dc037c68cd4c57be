/// The course of one queue, for visitors who come in the order of time.
struct WaitingLine: Sendable {
    private let random: SeededRandom
    private let queue: Scenario.Queue
    private let index: Int
    private let door: Point
    private let exit: Point
    /// When each till is free again.
    private var free: [Int64]
    /// When those who wait have left the line.
    private var waiting: [Int64] = []
    /// When those who wait or are at a till have left.
    private var leaving: [Int64] = []

    init(_ random: SeededRandom, _ people: Scenario.People, queue index: Int) {
        self.random = random
        self.index = index
        queue = people.queues[index]
        door = people.door
        exit = people.exit
        free = Array(repeating: .min, count: queue.tills.count)
    }

    /// Takes a visitor who has reached the entry through the line and out.
    mutating func admit(_ visit: inout Visit) {
        let joined = visit.end
        waiting.removeAll { $0 <= joined }
        leaving.removeAll { $0 <= joined }
        guard leaving.count < queue.maxLength else {
            visit.stay = stay(.turnedAway, joined, joined, joined)
            visit.walk(to: exit)
            return
        }
        let (till, call) = nextTill(from: joined)
        let patience = patience(of: visit.entity).map { joined + $0 } ?? .max
        if call > joined { stand(until: min(call, patience), &visit) }
        let called = visit.end
        if call > joined { waiting.append(called) }
        guard call <= patience else {
            visit.stay = stay(.gaveUp, joined, called, called)
            leaving.append(called)
            visit.walk(to: door)
            return
        }
        visit.walk(to: queue.tills[till].place)
        let seconds = random.uniform(queue.serviceSeconds, .service, visit.entity)
        visit.wait(until: visit.end + Int64(seconds * 1_000_000))
        free[till] = visit.end
        leaving.append(visit.end)
        visit.stay = stay(.served, joined, called, visit.end, till: till)
        visit.walk(to: exit)
    }

    /// Stands in line until `end`, and follows those in front.
    private func stand(until end: Int64, _ visit: inout Visit) {
        visit.walk(to: place(inLine: waiting.count))
        for (number, leaving) in waiting.sorted().enumerated() where leaving < end {
            visit.wait(until: leaving)
            visit.walk(to: place(inLine: waiting.count - number - 1))
        }
        visit.wait(until: end)
    }

    /// The till that takes the next visitor, and when.
    private func nextTill(from joined: Int64) -> (till: Int, call: Int64) {
        let calls = queue.tills.indices.compactMap { till -> (till: Int, call: Int64)? in
            let time = max(free[till], joined)
            guard let open = queue.tills[till].open else { return (till, time) }
            return open.next(from: time).map { (till, $0) }
        }
        return calls.min { $0.call < $1.call } ?? (0, joined)
    }

    /// How long the visitor waits, in microseconds; `nil` for one who waits to the end.
    private func patience(of entity: UInt64) -> Int64? {
        guard random.unit(.patience, entity, 0) * 100 < queue.giveUpPercent else { return nil }
        return Int64(random.uniform(queue.patienceSeconds, .patience, entity, 1) * 1_000_000)
    }

    /// Where one stands with `count` people before oneself who are not at a till.
    private func place(inLine count: Int) -> Point {
        queue.tills[0].place.towards(queue.entry, by: Double(count + 1) * queue.spacing)
    }

    private func stay(
        _ outcome: QueueStay.Outcome, _ joined: Int64, _ called: Int64, _ left: Int64,
        till: Int? = nil
    ) -> QueueStay {
        QueueStay(
            queue: index, outcome: outcome, joined: joined, called: called, left: left, till: till)
    }
}
