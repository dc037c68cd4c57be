import Posix
import Primitives
import Terminal

/// The screen of `sightline watch`: the operator's view, the pause, and the times at which it is drawn.
struct WatchScreen {
    /// The reason of the lost connection.
    var connectionError: String?
    /// What to do if the broker has no gateway.
    var advice: String?
    private let broker: String
    private let notes: [String]
    private let colours: Bool
    private let unicode: Bool
    private var size = Terminal.Size(columns: 80, rows: 24)
    private var view = WatchView()
    private var schedule = RedrawSchedule()
    /// The content of the display while it is paused.
    private var paused: (model: WatchModel, at: Instant)?
    private var notice: (notice: WatchNotice, at: Instant)?

    /// A change of a gateway is shown for this time.
    private static let noticeShown = Duration.seconds(30)

    init(broker: String, notes: [String], colours: Bool, unicode: Bool) {
        self.broker = broker
        self.notes = notes
        self.colours = colours
        self.unicode = unicode
    }

    var nextRedraw: Instant { schedule.next }

    private var noteLines: [String] { notes.flatMap { $0.wrapped(to: size.columns) } }

    mutating func resize(to size: Terminal.Size) {
        self.size = size
        schedule.reset()
    }

    /// Notes a change that is not drawn yet, and a sentence about a gateway.
    mutating func changed(_ new: WatchNotice?, at now: Instant) {
        if let new { notice = (new, now) }
        schedule.changed(at: now)
    }

    /// - Returns: whether the key ends the watch.
    mutating func on(_ key: Key, _ model: WatchModel, at now: Instant) -> Bool {
        let (shown, time) = paused ?? (model, now)
        let page = WatchPage(shown, view, size: size, notes: noteLines.count, at: time)
        schedule.reset()
        switch view.on(key, page) {
        case .quit: return true
        case .pause: paused = paused == nil ? (model, now) : nil
        case .redraw: break
        }
        return false
    }

    mutating func lines(_ model: WatchModel, unreadable: Int, at now: Instant) -> [String] {
        schedule.drawn(at: now)
        if let notice, now - notice.at > Self.noticeShown { self.notice = nil }
        let renderer = WatchRenderer(size: size, colours: colours, unicode: unicode)
        let heading = WatchRenderer.Heading(
            broker: broker, notes: noteLines, connectionError: connectionError,
            unreadable: unreadable,
            isPaused: paused != nil, notice: notice?.notice.brief,
            advice: advice?.wrapped(to: size.columns) ?? [])
        let (shown, time) = paused ?? (model, now)
        return renderer.lines(shown, view, heading, at: time)
    }
}

/// The times at which the table is redrawn.
///
/// A redraw follows the last of a group of messages, so that all gateways' rows are equally fresh. With continuous
/// messages, and without any, the table is redrawn once a second.
struct RedrawSchedule {
    /// The first and the last change since the last redraw.
    private var changes: ClosedRange<Instant>?
    private var lastRedraw: Instant?

    private static let pause = Duration.milliseconds(200)
    private static let interval = Duration.seconds(1)

    /// Notes a change that the table does not show yet.
    mutating func changed(at now: Instant) {
        let first = changes?.lowerBound ?? now
        changes = first...max(first, now)
    }

    mutating func drawn(at now: Instant) {
        changes = nil
        lastRedraw = now
    }

    /// The time of the next redraw; in the past before the first.
    var next: Instant {
        guard let lastRedraw else { return Instant(microseconds: 0) }
        guard let changes else { return lastRedraw + Self.interval }
        return min(changes.upperBound + Self.pause, changes.lowerBound + Self.interval)
    }

    /// Makes the next redraw due immediately.
    mutating func reset() { lastRedraw = nil }
}
