import CommandSupport
import Contract
import Primitives

/// Renders a model as lines of a screen: the connection, the gateways, the beacons.
struct TableRenderer {
    struct Screen: Equatable {
        var width: Int
        /// The last line is for the cursor.
        var height: Int
        var colours: Bool
        /// The terminal shows block characters.
        var unicode: Bool
    }

    /// The first lines: the broker and the connection's error.
    struct Heading: Equatable {
        let broker: String
        /// The reason of the lost connection; `nil` while connected.
        let connectionError: String?
        /// Messages that violate the contract.
        let unreadable: Int
    }

    let screen: Screen

    /// An online gateway without a message for this time is shown as silent.
    static let silence = Duration.seconds(15)
    /// A beacon that was not heard for this time is faint.
    static let fading = Duration.seconds(3)
    /// A longer delay between the end of a window and its message is shown.
    static let longestDelay = Duration.seconds(5)

    func lines(_ model: WatchModel, _ heading: Heading, at now: Instant) -> [String] {
        let room = max(1, screen.height - 1)
        let rows = model.rows
        var lines = headingLines(model, heading, beacons: Set(rows.map(\.identity)).count)
        if model.gateways.isEmpty {
            if heading.connectionError == nil {
                lines.append(StyledLine("waiting for gateways …", .faint))
            }
        } else {
            // The gateways get at most a third of a small screen; the beacons get the rest.
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
            line.append("  \(count(heading.unreadable, "message")) invalid", .warning)
        }
        if model.refused > 0 { line.append("  too many to show", .warning) }
        let error = heading.connectionError.map { [StyledLine($0, .bad)] } ?? []
        return [line] + error + [StyledLine()]
    }
}
