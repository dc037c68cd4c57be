import Posix
import Primitives
import Subscriber
import Terminal

/// The table of `--watch`: the part that the screen shows, its filter and its order.
struct StatusScreen {
    private let broker: String
    private var position = ListPosition<GatewayName>()
    private var filter = ListFilter()
    private var order: StatusOrder
    /// Why the connection is lost.
    private var failure: String?
    private(set) var nextDrawing = Instant(microseconds: 0)

    /// Ages change by seconds, and messages of a fleet arrive all the time.
    private static let interval = Duration.seconds(1)
    /// Title, heading, summary, keys.
    private static let otherLines = 4

    init(broker: String, order: StatusOrder) {
        self.broker = broker
        self.order = order
    }

    /// Draws immediately, not after the interval.
    mutating func redraw() { nextDrawing = Instant(microseconds: 0) }

    mutating func drawn(at now: Instant) { nextDrawing = now + Self.interval }

    mutating func note(_ failure: String?) {
        self.failure = failure
        redraw()
    }

    /// - Returns: whether the key ends the command.
    mutating func on(_ key: Key, _ report: StatusReport, _ size: Terminal.Size) -> Bool {
        redraw()
        if filter.isTyping {
            if filter.on(key) { position.moveToStart() }
            return false
        }
        let names = rows(report).map(\.name)
        let height = Self.rows(size)
        switch key {
        case .character("q"): return true
        case .character("/"): filter.beginTyping()
        case .character("s"): order = order.next
        case .escape, .backspace: filter.clear()
        case .up: position.move(by: -1, in: names, height: height)
        case .down: position.move(by: 1, in: names, height: height)
        case .pageUp: position.move(by: -height, in: names, height: height)
        case .pageDown: position.move(by: height, in: names, height: height)
        case .home: position.moveToStart()
        case .end: position.moveToEnd(of: names, height: height)
        default: break
        }
        return false
    }

    private static func rows(_ size: Terminal.Size) -> Int { max(1, size.rows - otherLines) }

    private func rows(_ report: StatusReport) -> [GatewaySnapshot] {
        order.sorted(report.chosen).filter {
            filter.matches("\($0.name) \($0.condition.rawValue) \($0.reason)")
        }
    }

    /// - Parameter wall: this machine's wall clock.
    func lines(_ report: StatusReport, _ size: Terminal.Size, wall: UnixTime) -> [StyledLine] {
        let snapshots = rows(report)
        let names = snapshots.map(\.name)
        let shown = position.shown(of: names, height: Self.rows(size))
        let selected = position.index(in: names)
        let table = StatusTable(
            snapshots, width: size.columns - StyledLine.markWidth, wall: wall)
        var title = StyledLine(
            "\(shown.lowerBound + (shown.isEmpty ? 0 : 1))–\(shown.upperBound) of"
                + " \(names.count.grouped), by \(order.rawValue)", .faint)
        if !filter.text.isEmpty { title.append(", filter /\(filter.text)", .warning) }
        title.append("  \(broker)", .faint)
        if let failure { title = StyledLine(failure, .bad) }
        var lines = zip(shown, table.lines[shown]).map {
            $1.marked(isSelected: $0 == selected)
        }
        lines += Array(repeating: StyledLine(), count: max(0, Self.rows(size) - lines.count))
        return [title, table.heading.marked(isSelected: false)] + lines + [report.summary, footer]
    }

    private var footer: StyledLine {
        filter.isTyping
            ? StyledLine("filter: /\(filter.text)_   Enter keeps it, Esc removes it")
            : StyledLine("q quit  Up/Down  / filter  s sort  Page Up/Down", .faint)
    }
}
