import Primitives

/// The final fold of a site, and its live copies that run ahead to the present.
///
/// Final results follow from the set of the messages alone. Only the copies read a time of the caller.
package struct SiteFolds<Fold: SecondFold>: Sendable {
    package private(set) var final: Fold
    private var copies = LiveFold<Fold>()
    private let gateways: [String]
    private let allowedLateness: Duration
    private let mostPendingBytes: Int
    /// The time that was folded before the allowed lateness because the memory was full: holes, and the seconds among them.
    package private(set) var passedEarly = Duration.zero

    /// With full memory, one call of `advance` passes so much of a hole at most.
    private static var earlyStep: Duration { .seconds(60) }

    /// - Parameters:
    ///   - gateways: in the order of the fold's seconds.
    ///   - allowedLateness: how late a message may come: holes older than this are passed.
    ///   - mostPendingBytes: the memory in bytes for windows that wait behind a hole.
    package init(
        _ final: Fold, gateways: [String], allowedLateness: Duration, mostPendingBytes: Int
    ) {
        self.final = final
        self.gateways = gateways
        self.allowedLateness = allowedLateness
        self.mostPendingBytes = mostPendingBytes
    }

    package mutating func take(_ window: WindowFact, from gateway: String) -> FactOutcome {
        guard let index = gateways.firstIndex(of: gateway) else { return .foreign }
        return update { $0.take(window, from: index) }
    }

    /// Hands a fact to the final fold, and one that is new to the copies.
    package mutating func update(_ take: (inout Fold) -> FactOutcome) -> FactOutcome {
        let outcome = take(&final)
        if outcome == .new { copies.update { _ = take(&$0) } }
        return outcome
    }

    /// Folds all seconds that no message within the allowed lateness can change, and returns final results.
    ///
    /// Where too many windows wait behind a hole, it also passes a part of the hole. Its messages are then late.
    ///
    /// - Parameter limit: the time that one call folds; the rest follows in the next calls.
    package mutating func advance(
        _ context: Fold.Context, atMost limit: Duration?
    ) -> [Fold.Output] {
        guard let newest = final.seconds.newest else { return [] }
        var results = final.advance(settling: newest - allowedLateness, context, atMost: limit)
        if isFull, !final.seconds.isBehind, let first = final.seconds.firstUnfolded() {
            let step = min(Self.earlyStep, limit ?? Self.earlyStep)
            passedEarly += step
            results += final.advance(settling: (first + step).start, context, atMost: limit)
        }
        return results
    }

    /// Moves the live results to the present.
    ///
    /// - Parameters:
    ///   - second: the caller's clock.
    ///   - offline: the gateways that the broker reports as offline. They count as silent from then on, until a call leaves them out.
    ///   - limit: the part of the past that each of the copies computes again at most: it bounds the time of the call.
    package mutating func advance(
        through second: UnixSecond, offline: Set<String> = [], _ context: Fold.Context,
        atMost limit: Duration?
    ) {
        let indices = offline.compactMap { gateways.firstIndex(of: $0) }
        copies.advance(
            through: second, offline: Set(indices), context, atMost: limit, from: final)
    }

    /// Folds everything: no message will follow.
    ///
    /// - Parameter limit: the time that one call folds; the rest follows in the next calls.
    package mutating func finish(
        _ context: Fold.Context, atMost limit: Duration? = nil
    ) -> [Fold.Output] {
        copies = LiveFold()
        return final.finish(context, atMost: limit)
    }

    /// Whether the memory is full of windows that wait.
    private var isFull: Bool { final.seconds.pendingBytes > mostPendingBytes }

    /// Whether the calls of `advance` or `finish` have left seconds to the next ones.
    package var isBehind: Bool { final.seconds.isBehind || isFull || copies.isBehind }

    // MARK: Results

    /// The fold at the present, as of the last `advance(through:)`, or else the final one.
    package var present: Fold { copies.current?.fold ?? final }

    /// What the fold at the present has found beyond the final one; `nil` while there is none.
    package var live: [Fold.Output]? { copies.current?.results }

    // MARK: Windows in the owner's store

    /// Gives up the memory of windows that start before `time`, where a fold has more than `bytes` of them. The owner can read all of
    /// them again.
    package mutating func release(before time: UnixTime, ifAbove bytes: Int) {
        final.seconds.release(before: time, ifAbove: bytes)
        copies.update { $0.seconds.release(before: time, ifAbove: bytes) }
    }

    /// The starts of windows that were given up, and without which the calls of `advance` and `finish` can't go on; `nil` if they
    /// can. The owner reads the first ones again, and hands them over with `restore`.
    package var wanted: Range<UnixTime>? {
        ([final.seconds.wanted].compactMap(\.self) + copies.wanted)
            .min { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
    }

    /// Takes back windows that were given up.
    ///
    /// - Parameters:
    ///   - windows: all windows that the owner has in `span`.
    ///   - span: their starts, from the beginning of `wanted`.
    package mutating func restore(
        _ windows: [(gateway: String, window: WindowFact)], in span: Range<UnixTime>
    ) {
        let found = windows.compactMap { gateway, window in
            gateways.firstIndex(of: gateway).map { (gateway: $0, window: window) }
        }
        final.seconds.restore(found, in: span)
        copies.update { $0.seconds.restore(found, in: span) }
    }
}
