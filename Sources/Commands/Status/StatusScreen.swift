import CommandSupport
import Posix
import Primitives
import Subscriber

/// The table of `--watch`, and the part of it that the screen shows.
struct StatusScreen {
    private let broker: String
    private var position = ListPosition<GatewayName>()
    /// Why the connection is lost.
    private var trouble: String?
    private(set) var nextDrawing = Instant(microseconds: 0)

    /// Ages change by seconds, and messages of a fleet arrive all the time.
    private static let interval = Duration.seconds(1)
    /// Title, heading, an empty line, summary.
    private static let otherLines = 4

    init(broker: String) { self.broker = broker }

    /// Draws immediately, not after the interval.
    mutating func redraw() { nextDrawing = Instant(microseconds: 0) }

    mutating func drawn(at now: Instant) { nextDrawing = now + Self.interval }

    mutating func note(_ trouble: String?) {
        self.trouble = trouble
        redraw()
    }

    mutating func on(_ key: Key, in names: [GatewayName], _ size: Terminal.Size) {
        let height = Self.rows(size)
        switch key {
        case .up: position.move(by: -1, in: names, height: height)
        case .down: position.move(by: 1, in: names, height: height)
        case .pageUp: position.move(by: -height, in: names, height: height)
        case .pageDown: position.move(by: height, in: names, height: height)
        case .home: position.moveToStart()
        case .end: position.moveToEnd(of: names, height: height)
        default: return
        }
        redraw()
    }

    private static func rows(_ size: Terminal.Size) -> Int { max(1, size.rows - otherLines) }

    /// - Parameter nowMs: this machine's wall clock.
    func lines(_ report: StatusReport, _ size: Terminal.Size, nowMs: Int64) -> [StyledLine] {
        let snapshots = report.rows
        let shown = position.shown(of: snapshots.map(\.name), height: Self.rows(size))
        let table = StatusTable(snapshots, width: size.columns, nowMs: nowMs)
        var title = StyledLine("\(broker)  ", .faint)
        title.append(
            trouble ?? "q quits, arrows and page keys scroll", trouble == nil ? .faint : .bad)
        var lines = Array(table.lines[shown])
        if let selected = position.selected,
            let row = snapshots[shown].firstIndex(where: { $0.name == selected })
        {
            lines[row - shown.lowerBound].isHighlighted = true
        }
        return [title, table.heading] + lines + [StyledLine(), report.summary]
    }
}
