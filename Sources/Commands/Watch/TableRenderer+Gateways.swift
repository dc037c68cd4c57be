import CommandSupport
import Contract
import Primitives
import Sightings
import Subscriber

extension TableRenderer {
    /// The gateways under their headings, in `room` lines.
    func gatewayLines(
        _ model: WatchModel, _ rows: [WatchModel.Row], atMost room: Int, at now: Instant
    ) -> [StyledLine] {
        let all = model.gateways.sorted { $0.key < $1.key }
        let names = max(7, all.map { $0.key.description.count }.max() ?? 0)
        var beacons: [GatewayName: Int] = [:]
        for row in rows { beacons[row.gateway, default: 0] += 1 }

        let columns = GatewayColumn.fitting(screen.width - names)
        let headings = columns.map(\.heading).joined()
        var lines = [StyledLine("GATEWAY".padded(names) + headings, .faint)]
        var hidden = all[...]
        while let (name, gateway) = hidden.first {
            let more = gatewayLines(
                name, gateway, columns, names: names, rowCount: beacons[name, default: 0], at: now)
            // One line is reserved for the number of hidden gateways.
            guard lines.count + more.count + (hidden.count > 1 ? 1 : 0) <= room else { break }
            lines += more
            hidden.removeFirst()
        }
        if !hidden.isEmpty {
            let offline = hidden.filter { $0.value.status == .offline }.count
            lines.append(
                StyledLine(
                    "… and \(count(hidden.count, "more gateway"))"
                        + (offline > 0 ? ", \(offline.grouped) offline" : ""), .faint))
        }
        return lines
    }

    /// A gateway's line, and a second one for notes that do not fit.
    private func gatewayLines(
        _ name: GatewayName, _ gateway: GatewayState, _ columns: [GatewayColumn], names: Int,
        rowCount: Int, at now: Instant
    ) -> [StyledLine] {
        var line = StyledLine(name.description.padded(names))
        for column in columns {
            append(column, of: gateway, rowCount: rowCount, at: now, to: &line)
        }
        let notes = gateway.notes(at: now)
        let needed = notes.reduce(line.width) { $0 + 2 + $1.text.count }
        let fits = needed <= screen.width
        var second = StyledLine()
        for note in notes {
            if fits {
                line.append("  ")
                line.append(note.text, note.style)
            } else {
                second.append("  ")
                second.append(note.text, note.style)
            }
        }
        return fits ? [line] : [line, second]
    }

    private func append(
        _ column: GatewayColumn, of gateway: GatewayState, rowCount: Int, at now: Instant,
        to line: inout StyledLine
    ) {
        // A deaf or offline gateway has no count: a dash, not a zero.
        let hears =
            gateway.lastMessage != nil && gateway.status != .offline && gateway.radio != .deaf
        let width = column.heading.count
        switch column {
        case .state:
            let state = gateway.stateWord
            line.append("  ")
            line.append(state.text.padded(width - 2), state.style)
        case .clock:
            line.append("  ")
            line.append(
                (gateway.clock?.rawValue ?? "–").padded(width - 2),
                gateway.clock == .unsynced ? .warning : .plain)
        case .reports:
            line.append((hears ? gateway.reportsPerSecond.brief : "–").rightAligned(width))
        case .beacons:
            line.append((hears ? gateway.beaconsPerSecond.brief : "–").rightAligned(width))
        case .seen: line.append((hears ? rowCount.grouped : "–").rightAligned(width))
        case .last:
            let age = gateway.lastMessage.map { now - $0 }
            line.append((age?.shortText ?? "–").rightAligned(width))
        }
    }
}

/// The columns of the gateways' table after the name, in order.
private enum GatewayColumn: CaseIterable {
    case state
    case clock
    case reports
    case beacons
    case seen
    case last

    /// With the spaces before it.
    var heading: String {
        switch self {
        case .state: "  STATE  "
        case .clock: "  CLOCK   "
        case .reports: "  REPORTS/S"
        case .beacons: "  BEACONS/S"
        case .seen: "  SEEN"
        case .last: "    LAST"
        }
    }

    /// The most important column first.
    private static let byImportance: [GatewayColumn] = [
        .state, .last, .reports, .clock, .beacons, .seen,
    ]

    /// The most important columns that fit into `room`.
    static func fitting(_ room: Int) -> [GatewayColumn] {
        var left = room
        let fitting = byImportance.prefix { column in
            left -= column.heading.count
            return left >= 0
        }
        return allCases.filter(fitting.contains)
    }
}

extension Duration {
    /// One unit, at most seven columns: `0.3 s`, `12 s`, `5 min`, `3 h`.
    var shortText: String {
        let milliseconds = max(0, milliseconds)
        let seconds = milliseconds / 1000
        if seconds < 10 { return "\((Double(milliseconds) / 1000).tenths) s" }
        if seconds < 100 { return "\(seconds) s" }
        if seconds < 6000 { return "\(seconds / 60) min" }
        return seconds < 360_000 ? "\(seconds / 3600) h" : "\(seconds / 86400) d"
    }
}

extension GatewayState {
    /// A text and its style.
    struct Word {
        let text: String
        let style: StyledLine.Style
    }

    /// The most severe state.
    var stateWord: Word {
        if status == .offline { return Word(text: "offline", style: .bad) }
        if radio == .deaf { return Word(text: "DEAF", style: .bad) }
        if status == .degraded { return Word(text: "degraded", style: .warning) }
        return status == .online
            ? Word(text: "online", style: .good) : Word(text: "unknown", style: .warning)
    }

    /// Problems beside the state.
    func notes(at now: Instant) -> [Word] {
        var notes: [Word] = []
        if let deafSince, status != .offline {
            let time = (now - deafSince).text
            notes.append(Word(text: "its radio has received nothing for \(time)", style: .bad))
        }
        if let lastMessage, status != .offline {
            if now - lastMessage > TableRenderer.silence {
                notes.append(Word(text: "silent", style: .warning))
            }
        }
        if let delay, delay > TableRenderer.longestDelay, status != .offline {
            notes.append(Word(text: "\(delay.text) behind", style: .warning))
        }
        if lost > 0 {
            let reason = lostReason.map { " (\($0.printable(limit: 24)))" } ?? ""
            notes.append(Word(text: "lost \(count(lost, "message"))\(reason)", style: .warning))
        }
        if missed > 0 {
            notes.append(Word(text: "missed \(count(missed, "message"))", style: .warning))
        }
        if dropped > 0 {
            notes.append(Word(text: "dropped \(count(dropped, "packet"))", style: .warning))
        }
        return notes
    }
}
