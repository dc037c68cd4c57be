/// How many people the tills of a queue serve at a time: at least one at each gateway, and more if there are tills without
/// a gateway.
///
/// At one of `n` tills, a person overtakes up to `n − 1` others, and hardly ever more. Among passers-by, the numbers of
/// overtaken stays fall off slowly. The certain stays of the queue therefore show `n`: many overtake `n − 1`, and few more.
struct TillsAtOnce: Equatable {
    private let gateways: Int
    /// Of certain stays, by the number of stays that each overtakes; the last one also counts all larger numbers.
    private var counts = [Int](repeating: 0, count: Self.most + 1)

    private static let most = 8
    private static let fewest = 50
    /// So many of all stays overtake `n − 1`, and of them, so many more than `n − 1`. With tills without a gateway on the
    /// bench, 18 to 22 % and 4 to 27 %; with passers-by who stop beside the till, 18 to 32 % and 90 to 240 %.
    private static let common = 0.08
    private static let rare = 0.4

    init(gateways: Int) { self.gateways = gateways }

    mutating func add(_ overtaken: Int?) {
        guard let overtaken else { return }
        counts[min(overtaken, Self.most)] += 1
    }

    /// `n`.
    var number: Int {
        let total = counts.reduce(0, +)
        guard total >= Self.fewest else { return gateways }
        let others = (0..<Self.most).last { number in
            let more = counts[(number + 1)...].reduce(0, +)
            return number >= gateways && Double(counts[number]) >= Self.common * Double(total)
                && Double(more) <= Self.rare * Double(counts[number])
        }
        return others.map { $0 + 1 } ?? gateways
    }
}
