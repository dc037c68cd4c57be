/// How many people the tills of a queue serve at a time: at least one at each gateway, and more if there are tills without
/// a gateway.
///
/// At one of `n` tills, a person overtakes up to `n − 1` others, and hardly ever more. Among passers-by, the numbers of
/// overtaken stays fall off slowly. The certain stays of the queue therefore show `n`: many overtake `n − 1`, and few more.
struct ParallelTills: Equatable, Sendable {
    private let gateways: Int
    /// Of certain stays, by the number of stays that each overtakes; the last one also counts all larger numbers.
    private(set) var counts: [Int]

    /// Larger numbers of overtaken stays are not told apart.
    private static let most = 8
    /// Fewer certain stays show nothing.
    private static let fewest = 50
    /// The least share of the stays that overtake `n − 1` others. On the bench, it is 18 to 22 % where tills have no
    /// gateway, and 18 to 32 % with passers-by who stop beside the till.
    private static let common = 0.08
    /// The stays that overtake more, as the largest share of those that overtake `n − 1`. On the bench, it is 4 to 27 % where
    /// tills have no gateway, and 90 to 240 % with passers-by.
    private static let rare = 0.4

    /// With more stays, older ones begin to fade.
    static let manyStays = 1000
    /// The counts before the first stay.
    static let none = [Int](repeating: 0, count: most + 1)

    /// - Parameter counts: of the days before.
    init(gateways: Int, counts: [Int] = Self.none) {
        self.gateways = gateways
        self.counts = counts
    }

    mutating func add(_ overtaken: Int) {
        if total >= Self.manyStays { counts = counts.map { $0 / 2 } }
        counts[min(overtaken, Self.most)] += 1
    }

    private var total: Int { counts.reduce(0, +) }

    private var isLearnt: Bool { total >= Self.fewest }

    /// So many people who joined later and were served at a till show that a person is not there any more. Chosen.
    var overtakenAtTill: Int { number - gateways + 2 }

    /// `n`.
    var number: Int {
        guard isLearnt else { return gateways }
        let others = (0..<Self.most).last { number in
            let more = counts[(number + 1)...].reduce(0, +)
            return number >= gateways && Double(counts[number]) >= Self.common * Double(total)
                && Double(more) <= Self.rare * Double(counts[number])
        }
        return others.map { $0 + 1 } ?? gateways
    }
}
