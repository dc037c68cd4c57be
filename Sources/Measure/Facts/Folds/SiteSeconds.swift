import Primitives

/// The seconds of a site's gateways, as a fold consumes them: messages fill the gateways' timelines, and each step empties them.
package struct SiteSeconds: Sendable {
    /// What a fold takes next.
    enum Step {
        /// What each gateway knows of a second.
        case second(UnixSecond, [GatewaySecond])
        /// A time in which no gateway said anything.
        case silence(Range<UnixSecond>, [GatewaySecond])
    }

    private var timelines: [GatewayTimeline]
    /// The next second to fold; `nil` before the first.
    package private(set) var next: UnixSecond?
    /// Whether the last call has left seconds to the next one.
    package private(set) var isBehind = false
    private var released = ReleasedWindows()
    /// Empty in the final fold.
    package internal(set) var offline = OfflineTimes()
    /// The time since the last second about which a message says anything, with the last step.
    package private(set) var silence = Duration.zero

    /// After so long, steps have no seconds until the next window.
    package static let longestSilence = Duration.seconds(600)

    /// - Parameter watermarks: where each gateway's day before has ended.
    package init(_ watermarks: [Watermark]) {
        timelines = watermarks.map {
            var timeline = GatewayTimeline($0)
            timeline.isFinal = true
            return timeline
        }
    }

    package mutating func take(_ window: WindowFact, from gateway: Int) -> FactOutcome {
        timelines[gateway].take(window)
    }

    /// How far each gateway is known.
    package var watermarks: [Watermark] { timelines.map(\.watermark) }

    /// The newest time of any window.
    package var newest: UnixTime? { timelines.compactMap(\.newest).max() }

    /// The memory of the windows that are not folded, in bytes.
    package var pendingBytes: Int { timelines.reduce(0) { $0 + $1.pendingBytes } }

    /// Whether a message has arrived that says something about a folded second.
    package var isOutdated: Bool { timelines.contains(where: \.isOutdated) }

    /// The first second that is not folded.
    func firstUnfolded() -> UnixSecond? { next ?? oldestSecond() }

    /// Becomes the seconds of a copy.
    mutating func runAhead(isPresent: Bool) {
        for index in timelines.indices {
            timelines[index] = timelines[index].copy(isPresent: isPresent)
        }
    }

    // MARK: Folding

    /// Moves the watermarks.
    ///
    /// - Returns: how far all gateways are known, and whether that depends on a window in the owner's store.
    mutating func settle(upTo bound: UnixTime) -> (end: UnixTime, isBlocked: Bool) {
        let ends = timelines.indices.map { timelines[$0].settle(upTo: bound) }
        let end = ends.min() ?? bound
        return (end, zip(timelines, ends).contains { $0.isBlocked && $1 == end })
    }

    /// - Returns: where the steps of a call end; `nil` if there is nothing to fold.
    mutating func begin(upTo bound: UnixSecond, atMost limit: Duration?) -> UnixSecond? {
        isBehind = false
        released.need(false)
        guard let first = firstUnfolded() else { return nil }
        return limit.map { min(bound, first + $0) } ?? bound
    }

    /// - Returns: `nil` at the end, and before a window that was released.
    mutating func step(before end: UnixSecond) -> Step? {
        guard let second = firstUnfolded(), second < end else { return nil }
        if let oldest = released.oldest, oldest < second.span.upperBound {
            released.need(true)
            return nil
        }
        let start = min(oldestSecond() ?? end, end)
        if silence >= Self.longestSilence, start > second {
            next = start
            silence += (second..<start).duration
            return .silence(
                second..<start, timelines.indices.map { timelines[$0].skip(second..<start) })
        }
        next = second.next
        let states = timelines.indices.map { gateway in
            var state = timelines[gateway].second(second)
            if offline.contains(second, of: gateway) { state.isAwaited = false }
            return state
        }
        silence = states.allSatisfy(\.isSilent) ? silence + .seconds(1) : .zero
        return .second(second, states)
    }

    /// Notes what a call has left.
    mutating func stop(at end: UnixSecond, of bound: UnixSecond, isBlocked: Bool) {
        if isBlocked, end == bound { released.need(true) }
        isBehind = released.wanted != nil || end < bound
    }

    /// The second of the oldest window that is not folded.
    private func oldestSecond() -> UnixSecond? {
        (timelines.map(\.oldest) + [released.oldest]).compactMap(\.self).min()
            .map(UnixSecond.init(containing:))
    }

    // MARK: Windows in the store

    /// Gives up windows that start before `time`, if they have more than `bytes`. The owner can read them again.
    mutating func release(before time: UnixTime, ifAbove bytes: Int) {
        if pendingBytes > bytes { released.release(before: time, of: &timelines) }
    }

    /// The starts of released windows without which the fold can't go on; `nil` if it can.
    var wanted: Range<UnixTime>? { released.wanted }

    /// Takes back released windows: all that the owner has in `span`.
    mutating func restore(
        _ windows: [(gateway: Int, window: WindowFact)], in span: Range<UnixTime>
    ) {
        released.restore(windows, in: span, to: &timelines)
    }
}
