import Primitives

/// The windows of a site that only the owner's store has, while they wait behind a hole.
struct ReleasedWindows {
    /// Their starts; windows that came late may also be in memory.
    private(set) var starts: Range<UnixTime>?
    /// Whether the fold goes on behind them only.
    private var areNeeded = false

    /// The starts of the windows without which the fold can't go on; `nil` if it can.
    var wanted: Range<UnixTime>? { areNeeded ? starts : nil }

    /// The start of the oldest one.
    var oldest: UnixTime? { starts?.lowerBound }

    /// Notes whether the fold needs them.
    mutating func need(_ areNeeded: Bool) { self.areNeeded = areNeeded && starts != nil }

    /// Gives up the windows that start before `end`, also those of a backlog, which came after others had been given up.
    mutating func release(before end: UnixTime, of timelines: inout [GatewayTimeline]) {
        let oldest = timelines.indices.compactMap { timelines[$0].release(in: .min..<end) }.min()
        guard let oldest else { return }
        starts = min(starts?.lowerBound ?? oldest, oldest)..<max(starts?.upperBound ?? end, end)
    }

    /// Takes back those that start in `span`, where a fold needs them.
    ///
    /// - Parameter windows: all windows that the store has in `span`, by the index of their gateway.
    mutating func restore(
        _ windows: [(gateway: Int, window: WindowFact)], in span: Range<UnixTime>,
        to timelines: inout [GatewayTimeline]
    ) {
        guard let wanted, span.contains(wanted.lowerBound) else { return }
        let isLast = span.upperBound >= wanted.upperBound
        let end = min(span.upperBound, wanted.upperBound)
        let found = windows.filter { (wanted.lowerBound..<end).contains($0.window.span.lowerBound) }
        for index in timelines.indices {
            timelines[index].restore(
                found.filter { $0.gateway == index }.map(\.window), before: end, isLast: isLast)
        }
        starts = isLast ? nil : end..<wanted.upperBound
        areNeeded = false
    }
}
