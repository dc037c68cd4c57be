import CommandSupport
import Contract
import Primitives

/// Draws a model as the lines of a terminal's screen: what connects us, the gateways, the beacons.
struct TableRenderer {
    /// What the lines are for.
    struct Screen: Equatable {
        var width: Int
        /// Lines that there are; the last is left to the cursor.
        var height: Int
        var colours: Bool
        /// Block characters may be used.
        var unicode: Bool
    }

    /// The first line: where the messages come from, and what is wrong with that.
    struct Heading: Equatable {
        let broker: String
        /// Why nothing comes, and what is done about it; `nil` while connected.
        let trouble: String?
        /// Messages that could not be read.
        let unreadable: Int
    }

    let screen: Screen

    /// A gateway that is online should have said something by then, in microseconds.
    static let silence: Int64 = 15_000_000
    /// A beacon not heard for so long is shown faintly, in microseconds.
    static let fading: Int64 = 3_000_000
    /// A message may come so long after its window's end before that is worth a remark, in milliseconds.
    static let delayMs: Int64 = 5_000

    /// The screen's lines at `now`.
    func lines(_ model: WatchModel, _ heading: Heading, at now: Instant) -> [String] {
        let room = max(1, screen.height - 1)
        let rows = model.rows
        var lines = headingLines(model, heading, beacons: Set(rows.map(\.identity)).count)
        if model.gateways.isEmpty {
            if heading.trouble == nil { lines.append(StyledLine("waiting for gateways …", .faint)) }
        } else {
            // The gateways get a third where there is too little room; what they don't need is the beacons'.
            let share = max(3, (room - lines.count) / 3)
            let wanted = rows.isEmpty ? room - lines.count : share
            lines += gatewayLines(model, rows, atMost: wanted, at: now)
            if !rows.isEmpty {
                lines.append(StyledLine())
                lines += rowLines(rows, atMost: room - lines.count, at: now)
            }
        }
        return lines.prefix(room).map {
            $0.text(width: screen.width, colours: screen.colours, unicode: screen.unicode)
        }
    }

    private func headingLines(
        _ model: WatchModel, _ heading: Heading, beacons: Int
    ) -> [StyledLine] {
        var line = StyledLine("sightline", .bold)
        line.append("  \(heading.broker)  ")
        line.append(
            count(model.gateways.count, "gateway") + ", " + count(beacons, "beacon"), .faint)
        if heading.unreadable > 0 {
            line.append("  \(count(heading.unreadable, "message")) not understood", .warning)
        }
        if model.refused > 0 { line.append("  too many to show", .warning) }
        let trouble = heading.trouble.map { [StyledLine($0, .bad)] } ?? []
        return [line] + trouble + [StyledLine()]
    }
}
