import Primitives
import Sightings

/// The windows of one gateway that are not folded yet, and what the gateway knows about each second.
///
/// It is a set: the order of arrival and repetitions change nothing.
package struct GatewayTimeline {
    private var ledgers = SessionLedgers()
    /// In canonical order where `isSorted`.
    private var pending: [WindowFact] = []
    private var isSorted = true
    /// The first of `pending` that is not folded.
    private var first = 0
    /// The first of `pending` that the watermark has not passed.
    private var next = 0
    package private(set) var watermark: Watermark
    private var lostSpans: [Range<UnixTime>] = []
    /// The end of the last folded second.
    private var foldedThrough = UnixTime.min
    /// Whether something became known about a folded second.
    package var isOutdated = false
    /// Whether a window of which a part is folded is late. Else the rest of it counts.
    package var isFinal = false
    private var awaited = AwaitedMessages()
    /// The memory of the windows that are not folded, in bytes.
    package private(set) var pendingBytes = 0

    /// A window as wide as a second or less says when a tag was heard; a wider one only roughly.
    private static let narrow = Duration.seconds(1)
    /// The number of folded windows that are removed together, at least.
    private static let fewest = 32

    /// - Parameter watermark: where the day before has ended.
    package init(_ watermark: Watermark = Watermark()) { self.watermark = watermark }

    /// A timeline that folds the same windows for other results.
    ///
    /// - Parameter isPresent: whether its last second is the present.
    package func copy(isPresent: Bool) -> GatewayTimeline {
        var copy = self
        copy.isOutdated = false
        copy.isFinal = false
        copy.awaited.isPresent = isPresent
        return copy
    }

    package mutating func take(_ window: WindowFact) -> FactOutcome {
        // A window that is left out changes nothing: after a restart, the server folds only those that were taken.
        guard window.isSynced else { return .unsynced }
        if ledgers.contains(window) { return .repeated }
        if window.span.lowerBound < foldedThrough || awaited.haveFolded { isOutdated = true }
        let isLate =
            isFinal
            ? window.span.lowerBound < foldedThrough : window.span.upperBound <= foldedThrough
        guard !isLate else { return .late }
        guard ledgers.take(window, foldedThrough: foldedThrough) else { return .excess }
        newest = max(newest ?? .min, window.span.upperBound)
        if let last = pending.last, window < last { isSorted = false }
        pending.append(window)
        pending[pending.count - 1].session = ledgers.name(window.session)
        pendingBytes += window.bytes
        return .new
    }

    /// The newest time of any window.
    package private(set) var newest: UnixTime?

    /// The start of the oldest window that is not folded.
    package mutating func oldest() -> UnixTime? {
        sort()
        return first < pending.count ? pending[first].span.lowerBound : nil
    }

    /// Moves the watermark as far as windows and declarations allow, and by force up to `bound`.
    package mutating func settle(upTo bound: UnixTime) -> UnixTime {
        sort()
        if awaited.settle(upTo: bound, newest: newest) { isOutdated = true }
        while next < pending.count {
            let window = pending[next]
            let force = window.span.lowerBound <= bound
            guard let lost = watermark.reach(window, ledgers[window.session], force: force)
            else { break }
            if !lost.isEmpty {
                lostSpans.append(lost)
                if lost.lowerBound < foldedThrough { isOutdated = true }
            }
            // The first part of a window already declares the loss before it.
            guard force || isComplete(at: next) else { break }
            watermark.pass(window)
            next += 1
        }
        return max(watermark.end ?? .min, bound)
    }

    /// The gateway's knowledge about a second. The caller asks for seconds in ascending order, each once.
    package mutating func second(_ second: UnixSecond) -> GatewaySecond {
        sort()
        let span = second.span
        foldedThrough = span.upperBound
        let active = pending[first...].prefix { $0.span.lowerBound < span.upperBound }
            .filter { $0.span.upperBound > span.lowerBound }
        let heard = active.filter { $0.state == .hearing }
        let heardTime = Self.measure(heard.lazy.map(\.span), in: span)
        var result = GatewaySecond(
            heard: heardTime,
            deaf: Self.measure(active.lazy.map(\.span), in: span) - heardTime,
            lost: Self.measure(lostSpans, in: span),
            levels: Self.levels(in: Self.finest(heard), span))
        result.isAwaited = awaited.fold(span, newest: newest)
        forget(before: span.upperBound)
        return result
    }

    /// Passes seconds after a silence, about which no window says anything.
    ///
    /// - Returns: the knowledge about each of them. A loss ends with a window, so that it has all of them or none.
    package mutating func skip(_ seconds: Range<UnixSecond>) -> GatewaySecond {
        let (start, end) = (seconds.lowerBound.start, seconds.upperBound.start)
        foldedThrough = max(foldedThrough, end)
        let isLost = lostSpans.contains { $0.lowerBound <= start && end <= $0.upperBound }
        return GatewaySecond(lost: isLost ? .seconds(1) : .zero)
    }

    private mutating func sort() {
        guard !isSorted else { return }
        pending[first...].sort()
        isSorted = true
        // A late window may stand before windows that the watermark has passed.
        next =
            pending.firstIndex { $0.span.upperBound > watermark.end ?? .min }
            ?? pending.count
    }

    /// Whether all parts of the window have arrived.
    private func isComplete(at index: Int) -> Bool {
        let window = pending[index]
        guard window.parts > 1 else { return true }
        let parts =
            pending[..<index].reversed().prefix { $0.span == window.span }
            + pending[index...].prefix { $0.span == window.span }
        return parts.count { $0.session == window.session } >= window.parts
    }

    /// Removes windows that end before `time`.
    private mutating func forget(before time: UnixTime) {
        while first < pending.count, pending[first].span.upperBound <= time {
            pendingBytes -= pending[first].bytes
            first += 1
        }
        lostSpans.removeAll { $0.upperBound <= time }
        // Each removal copies all windows behind, so it waits until half of them can go. The room for the others is given back.
        guard first > Self.fewest, first > pending.count / 2 else { return }
        pending = Array(pending[first...])
        next = max(0, next - first)
        first = 0
    }

    /// The part of `span` that the ranges cover; the ranges are in ascending order of their starts.
    private static func measure(
        _ ranges: some Sequence<Range<UnixTime>>, in span: Range<UnixTime>
    ) -> Duration {
        var end = span.lowerBound
        var sum = Duration.zero
        for range in ranges {
            let start = max(end, range.lowerBound)
            let stop = min(span.upperBound, range.upperBound)
            if stop > start {
                sum += stop - start
                end = stop
            }
        }
        return sum
    }

    /// A merged window may cover seconds that finer windows describe as well: then the finer ones count.
    private static func finest(_ windows: [WindowFact]) -> [WindowFact] {
        guard windows.count > 1 else { return windows }
        let narrow = windows.filter { $0.width <= Self.narrow }
        if !narrow.isEmpty { return narrow }
        let width = windows.lazy.map(\.width).min() ?? .zero
        return windows.filter { $0.width == width }
    }

    /// The power of each tag in the second: the mean in milliwatts over all its reports.
    private static func levels(
        in windows: [WindowFact], _ span: Range<UnixTime>
    ) -> [GatewaySecond.Level] {
        let readings = windows.flatMap { window in
            guard window.width > narrow else { return window.readings }
            return window.readings.filter { $0.seen.overlaps(span) }
                .map { $0.tilted(to: span) }
        }
        let sorted = readings.enumerated().sorted {
            ($0.element.tag, $0.offset) < ($1.element.tag, $1.offset)
        }
        var levels: [GatewaySecond.Level] = []
        var mean = MeanPower()
        for (index, entry) in sorted.enumerated() {
            mean.add(entry.element)
            let isLast =
                index + 1 == sorted.count || sorted[index + 1].element.tag != entry.element.tag
            guard isLast else { continue }
            levels.append(
                GatewaySecond.Level(
                    tag: entry.element.tag, power: mean.value, senders: mean.senders))
            mean = MeanPower()
        }
        return levels
    }
}

/// The messages that may still come about the seconds after the newest window.
///
/// A gateway merges empty windows: at the present, its silence may be the time of such a message.
package struct AwaitedMessages {
    /// Whether the timeline's last second is the present. Else no message is awaited.
    var isPresent = false
    /// Whether a message may still come.
    private var areAwaited = false
    /// Whether a second was folded of which a message was awaited.
    private(set) var haveFolded = false

    /// A gateway merges empty windows for up to ten seconds. Their message may also be late.
    package static let longest = Duration.seconds(15)

    /// Moves to a bound that the timeline passes.
    ///
    /// - Returns: whether a message that was awaited for a folded second has not come.
    mutating func settle(upTo bound: UnixTime, newest: UnixTime?) -> Bool {
        areAwaited = isPresent && newest.map { bound - $0 <= Self.longest } ?? false
        return haveFolded && !areAwaited
    }

    /// Folds a second.
    ///
    /// - Returns: whether a message about it may still come.
    mutating func fold(_ second: Range<UnixTime>, newest: UnixTime?) -> Bool {
        let isAwaited = areAwaited && newest.map { $0 <= second.lowerBound } ?? false
        haveFolded = haveFolded || isAwaited
        return isAwaited
    }
}
