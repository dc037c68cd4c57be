import Facts

/// The dates at which persons left whose tags stayed at a till.
///
/// Such a tag shows no leaving. But a person who joined later was served there: the first person had left by then. The
/// levels hardly change when the person goes and the tag stays. So the time from the last leaving before to the next one after is divided
/// evenly among the services in it. A person who joins an empty line did not wait for the end of the service
/// before, which then took a mean time.
enum LeftTags {
    /// The stays with the dates of leaving.
    ///
    /// - Parameter tills: how many people they serve at a time.
    static func dated(_ proposals: [LineOrder.Proposal], tills: Int) -> [LineOrder.Proposal] {
        let left = proposals.indices.filter { proposals[$0].stay.isTagLeft }
        guard !left.isEmpty else { return proposals }
        let known = proposals.filter { !$0.stay.isTagLeft }
        let service = JoiningOrder(known, known.map(\.stay.probability), tills: tills)
            .meanService
        var stays = proposals
        for till in Set(left.compactMap { stays[$0].stay.till }) {
            let seen = stays.map(\.stay).filter {
                $0.till == till && !$0.isTagLeft && $0.end == .served && $0.isVisit
            }.sorted { $0.left.second < $1.left.second }
            let queue = left.filter { stays[$0].stay.till == till }.sorted {
                let (one, other) = (stays[$0].stay, stays[$1].stay)
                return (one.entered.second, $0) < (other.entered.second, $1)
            }
            date(&stays, queue, seen, service: service)
        }
        return stays
    }

    /// - Parameters:
    ///   - queue: the stays of left tags at one till, in the order of joining.
    ///   - seen: the other visits there, in the order of leaving.
    private static func date(
        _ stays: inout [LineOrder.Proposal], _ queue: [Int], _ seen: [LineStay], service: Double
    ) {
        var rest = queue[...]
        while let first = rest.first {
            let next = next(after: stays[first].stay, seen)
            let group = rest.prefix { self.next(after: stays[$0].stay, seen) == next }
            rest = rest.dropFirst(group.count)
            guard let next else { continue }
            let end = next.left.second
            var free = seen.last { $0.left.second < end }?.left.second
            for (number, index) in group.enumerated() {
                let stay = stays[index].stay
                let begin = max(stay.entered.second, free ?? stay.entered.second)
                let following =
                    number + 1 < group.count
                    ? stays[group[group.startIndex + number + 1]].stay : next
                let shared = (end - begin).inSeconds / Double(group.count - number + 1)
                var length = shared
                let idle = (following.entered.second - begin).inSeconds
                if idle > shared { length = min(service, idle) }
                let left = begin.advanced(by: Int(length.rounded()))
                stays[index].stay.left = EdgeDate(left, within: begin...end)
                free = left
            }
        }
    }

    /// The first person who was served after the one whose tag stayed.
    private static func next(after stay: LineStay, _ seen: [LineStay]) -> LineStay? {
        let joined = stay.entered.second.advanced(by: OrderJudgement.tolerance)
        return seen.first { $0.entered.second >= joined }
    }
}
