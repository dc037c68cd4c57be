import Primitives
import Sightings

/// The windows of one gateway that are not folded yet, and what the gateway knows about each second.
///
/// It is a set: the order of arrival and repetitions change nothing. One exception: of more than `mostOfSecond` windows that start in
/// one second, it takes those that come first.
package struct GatewayTimeline {
    private var ledgers = SessionLedgers()
    private var pending = PendingWindows()
    private var wide = WideReadings()
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
    package var pendingBytes: Int { pending.bytes }

    /// The windows that start in one second; further ones are left out.
    package static let mostOfSecond = PendingWindows.mostOfSecond
    /// A window as wide as a second or less says when a tag was heard; a wider one only roughly.
    private static let narrow = Duration.seconds(1)

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
        guard pending.hasRoom(for: window),
            ledgers.take(window, foldedThrough: foldedThrough)
        else { return .excess }
        newest = max(newest ?? .min, window.span.upperBound)
        pending.insert(named(window), passed: watermark.end)
        return .new
    }

    private func named(_ window: WindowFact) -> WindowFact {
        var window = window
        window.session = ledgers.name(window.session)
        return window
    }

    // MARK: Windows in the store

    /// Gives up the windows that start in `span`, apart from the one at which the watermark stands: the owner's store has them.
    ///
    /// - Returns: the start of the oldest of them.
    package mutating func release(in span: Range<UnixTime>) -> UnixTime? {
        pending.release(in: span)
    }

    /// Takes back all windows that were released and start before `end`.
    ///
    /// - Parameter isLast: whether no released window is left.
    package mutating func restore(_ windows: [WindowFact], before end: UnixTime, isLast: Bool) {
        pending.restore(
            windows.map(named), before: end, isLast: isLast, passed: watermark.end)
    }

    /// Whether the watermark waits for a window that was released.
    package var isBlocked: Bool { pending.isBlocked }

    // MARK: Folding

    /// The newest time of any window.
    package private(set) var newest: UnixTime?

    /// The start of the oldest window that is not folded.
    package var oldest: UnixTime? { pending.oldest }

    /// Moves the watermark as far as windows and declarations allow, and by force up to `bound`.
    package mutating func settle(upTo bound: UnixTime) -> UnixTime {
        if awaited.settle(upTo: bound, newest: newest) { isOutdated = true }
        while let window = pending.following {
            let force = window.span.lowerBound <= bound
            guard let lost = watermark.reach(window, ledgers[window.session], force: force)
            else { break }
            if !lost.isEmpty {
                lostSpans.append(lost)
                if lost.lowerBound < foldedThrough { isOutdated = true }
            }
            // The first part of a window already declares the loss before it.
            guard force || pending.isNextComplete else { break }
            watermark.pass(window)
            pending.pass()
        }
        // A released window may tell of the seconds before it.
        if let barrier = pending.barrier, isBlocked {
            return min(watermark.end ?? barrier, barrier)
        }
        return max(watermark.end ?? .min, bound)
    }

    /// The gateway's knowledge about a second. The caller asks for seconds in ascending order, each once.
    package mutating func second(_ second: UnixSecond) -> GatewaySecond {
        let span = second.span
        foldedThrough = span.upperBound
        let active = pending.active(in: span)
        let heard = active.filter { $0.state == .hearing }
        let heardTime = Self.measure(heard.lazy.map(\.span), in: span)
        var result = GatewaySecond(
            heard: heardTime,
            deaf: Self.measure(active.lazy.map(\.span), in: span) - heardTime,
            lost: Self.measure(lostSpans, in: span),
            isQuiet: !heard.isEmpty && heard.allSatisfy(\.isQuiet),
            reportsSince: heard.last(where: { !$0.isQuiet })?.span.lowerBound,
            levels: levels(in: Self.finest(heard), span))
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

    /// Removes windows that end before `time`.
    private mutating func forget(before time: UnixTime) {
        pending.forget(before: time)
        wide.forget(before: time)
        lostSpans.removeAll { $0.upperBound <= time }
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
    private mutating func levels(
        in windows: [WindowFact], _ span: Range<UnixTime>
    ) -> [GatewaySecond.Level] {
        var readings: [Reading] = []
        for window in windows {
            if window.width > Self.narrow {
                wide.add(window, in: span, to: &readings)
            } else {
                readings += window.readings
            }
        }
        if zip(readings, readings.dropFirst()).contains(where: { $1.tag < $0.tag }) {
            readings = readings.enumerated().sorted {
                ($0.element.tag, $0.offset) < ($1.element.tag, $1.offset)
            }.map(\.element)
        }
        var levels: [GatewaySecond.Level] = []
        var mean = MeanPower()
        var sum = ReportSum()
        for (index, reading) in readings.enumerated() {
            mean.add(reading)
            sum.add(reading, in: span)
            let isLast = index + 1 == readings.count || readings[index + 1].tag != reading.tag
            guard isLast else { continue }
            levels.append(
                GatewaySecond.Level(
                    tag: reading.tag, power: mean.value, senders: mean.senders,
                    reports: sum.reports, seen: sum.seen ?? reading.seen))
            (mean, sum) = (MeanPower(), ReportSum())
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
