import Primitives

/// The windows of a gateway that are not folded, in canonical order.
///
/// Windows that wait behind a hole need no memory: `release` gives them up, and `restore` takes them back from the owner's
/// store, part by part. The first one that the watermark has not passed stays.
struct PendingWindows {
    private var windows: [WindowFact] = []
    /// The first that is not folded.
    private var first = 0
    /// The first that the watermark has not passed.
    private var next = 0
    /// Their memory.
    private(set) var bytes = 0
    /// The start of the first released window that the watermark has not passed.
    private(set) var barrier: UnixTime?
    /// The number of released windows that start in each second: they take the room of others.
    private var released: [UnixSecond: UInt16] = [:]

    /// The number of folded windows that are removed together, at least.
    private static let fewest = 32
    /// The windows that start in one second. An agent sends ten, in hundreds of parts at most.
    static let mostOfSecond = 1000

    /// The start of the oldest window.
    var oldest: UnixTime? { first < windows.count ? windows[first].span.lowerBound : nil }

    /// The window that the watermark passes next; `nil` if there is none, or if it may be a released one.
    var following: WindowFact? {
        guard next < windows.count else { return nil }
        return isBlocked ? nil : windows[next]
    }

    /// Whether the watermark waits for a released window.
    var isBlocked: Bool {
        guard let barrier else { return false }
        return next >= windows.count || windows[next].span.lowerBound >= barrier
    }

    /// Whether there is room for a further window of its second.
    func hasRoom(for window: WindowFact) -> Bool {
        let second = UnixSecond(containing: window.span.lowerBound)
        let present = index(of: second.next.start) - index(of: second.start)
        return present + Int(released[second] ?? 0) < Self.mostOfSecond
    }

    /// - Parameter watermark: windows that end by then are passed.
    mutating func insert(_ window: WindowFact, passed watermark: UnixTime?) {
        bytes += window.bytes
        guard let last = windows.last, window < last else { return windows.append(window) }
        let place = place(of: window)
        windows.insert(window, at: place)
        if place <= next {
            next = window.span.upperBound > watermark ?? .min ? place : next + 1
        }
    }

    /// The watermark has passed the next window.
    mutating func pass() { next += 1 }

    /// Whether all parts of the next window have arrived.
    var isNextComplete: Bool {
        let window = windows[next]
        guard window.parts > 1 else { return true }
        let parts =
            windows[..<next].reversed().prefix { $0.span == window.span }
            + windows[next...].prefix { $0.span == window.span }
        return parts.count { $0.session == window.session } >= window.parts
    }

    /// The windows that have a part of `span`.
    func active(in span: Range<UnixTime>) -> [WindowFact] {
        windows[first...].prefix { $0.span.lowerBound < span.upperBound }
            .filter { $0.span.upperBound > span.lowerBound }
    }

    /// Removes windows that end before `time`.
    mutating func forget(before time: UnixTime) {
        while first < windows.count, windows[first].span.upperBound <= time {
            bytes -= windows[first].bytes
            first += 1
        }
        // Each removal copies all windows behind, so it waits until half of them can go. The room for the others is given back.
        guard first > Self.fewest, first > windows.count / 2 else { return }
        windows = Array(windows[first...])
        next = max(0, next - first)
        first = 0
    }

    /// Gives up the windows that start in `span`, apart from the next one.
    ///
    /// - Returns: the start of the oldest of them.
    mutating func release(in span: Range<UnixTime>) -> UnixTime? {
        let kept = next < windows.count ? windows[next].span.lowerBound : nil
        var rest: [WindowFact] = []
        var passed = 0
        var oldest: UnixTime?
        for index in first..<windows.count {
            let window = windows[index]
            let start = window.span.lowerBound
            guard span.contains(start), start != kept else {
                rest.append(window)
                if index < next { passed += 1 }
                continue
            }
            bytes -= window.bytes
            released[UnixSecond(containing: start), default: 0] += 1
            oldest = oldest ?? start
            if index >= next { barrier = min(barrier ?? start, start) }
        }
        (windows, first, next) = (rest, 0, passed)
        return oldest
    }

    /// Takes back all released windows that start before `end`.
    ///
    /// - Parameter isLast: whether no released window is left.
    mutating func restore(
        _ released: [WindowFact], before end: UnixTime, isLast: Bool, passed watermark: UnixTime?
    ) {
        for window in released {
            let place = place(of: window)
            let isThere = place < windows.count && windows[place] == window
            guard !isThere else { continue }
            giveBackRoom(of: window)
            if hasRoom(for: window) { insert(window, passed: watermark) }
        }
        if isLast { self.released = [:] }
        barrier = isLast ? nil : barrier.map { max($0, end) }
    }

    /// A released window needs its room no more.
    private mutating func giveBackRoom(of window: WindowFact) {
        let second = UnixSecond(containing: window.span.lowerBound)
        guard let count = released[second] else { return }
        released[second] = count > 1 ? count - 1 : nil
    }

    private func place(of window: WindowFact) -> Int {
        windows.partitioningIndex { !($0 < window) }
    }

    /// The first window that starts at `time` or later.
    private func index(of time: UnixTime) -> Int {
        windows.partitioningIndex { $0.span.lowerBound >= time }
    }
}
