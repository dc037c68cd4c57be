import Facts
import Primitives
import Queueing

/// The rows of a site, as the tables would give them.
extension StoreBatch {
    package func facts(of site: String, in range: Range<UnixTime>) -> [(String, WindowFact)] {
        facts.compactMap { fact in
            guard fact.site == site, range.contains(fact.start),
                let window = try? WindowFact(
                    stored: fact.body, session: fact.session, number: fact.number,
                    start: fact.start)
            else { return nil }
            return (fact.gateway, window)
        }
    }

    /// When the windows of a site start.
    package func starts(of site: String, in range: Range<UnixTime>) -> [UnixTime] {
        facts.filter { $0.site == site && range.contains($0.start) }.map(\.start)
    }

    package func receipts(of queue: String, at site: String, in range: Range<UnixTime>) -> [Receipt]
    {
        receipts.filter {
            $0.site == site && $0.queue == queue && range.contains($0.receipt.time)
        }.map(\.receipt)
    }

    package func visitCount(of queue: String, at site: String, day: UnixTime) -> VisitCount? {
        visitCounts.last { $0.site == site && $0.queue == queue && $0.day == day }
    }
}
