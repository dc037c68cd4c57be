import Contract
import Primitives
import Subscriber
import Terminal

/// The gateways as lines: the columns that fit, the most important ones first.
struct StatusTable {
    /// In their order on the screen.
    enum Column: CaseIterable {
        case gateway
        case state
        case since
        case version
        case reports
        case clock
        case backlog
        case layers
        case broker
        case reason
    }

    /// Every table has these; the others join in this order while there is room.
    private static let essential: [Column] = [.gateway, .state, .reason]
    private static let optional: [Column] = [
        .since, .reports, .backlog, .layers, .clock, .version, .broker,
    ]
    /// The room that reasons get before further columns.
    private static let reasonWidth = 36
    private static let gap = 2

    private let columns: [Column]
    private let widths: [Column: Int]
    private let cells: [[Column: String]]
    private let snapshots: [GatewaySnapshot]

    /// - Parameters:
    ///   - width: of the screen; `nil` for no limit.
    ///   - wall: this machine's wall clock.
    init(_ snapshots: [GatewaySnapshot], width: Int?, wall: UnixTime) {
        self.snapshots = snapshots
        let cells = snapshots.map { snapshot in
            Dictionary(
                uniqueKeysWithValues: Column.allCases.map { ($0, $0.cell(snapshot, wall: wall)) })
        }
        var widths: [Column: Int] = [:]
        for column in Column.allCases {
            widths[column] = cells.reduce(column.heading.count) {
                max($0, $1[column]?.count ?? 0)
            }
        }
        let size = { (column: Column) in (widths[column] ?? 0) + Self.gap }
        let reason = min(widths[.reason] ?? 0, Self.reasonWidth)
        var left = (width ?? .max) - reason
        for column in Self.essential where column != .reason { left -= size(column) }
        let fitting = Self.optional.prefix { column in
            left -= size(column)
            return left >= 0
        }
        columns = Column.allCases.filter { Self.essential.contains($0) || fitting.contains($0) }
        self.widths = widths
        self.cells = cells
    }

    var heading: StyledLine {
        StyledLine(columns.map { padded($0.heading, $0) }.joined(), .faint)
    }

    var lines: [StyledLine] {
        zip(snapshots, cells).map { snapshot, cells in
            var line = StyledLine()
            for column in columns {
                let style = column == .state ? snapshot.condition.style : .plain
                line.append(padded(cells[column] ?? "", column), style)
            }
            return line
        }
    }

    private func padded(_ text: String, _ column: Column) -> String {
        // The last column: the screen cuts it off.
        guard column != .reason else { return text }
        let width = widths[column] ?? 0
        return (column.isRightAligned ? text.rightAligned(width) : text.padded(width))
            + String(repeating: " ", count: Self.gap)
    }
}

extension StatusTable.Column {
    var heading: String {
        switch self {
        case .gateway: "GATEWAY"
        case .state: "STATE"
        case .since: "SINCE"
        case .version: "VERSION"
        case .reports: "REP/S"
        case .clock: "CLOCK"
        case .backlog: "BACKLOG"
        case .layers: "LAYERS"
        case .broker: "BROKER"
        case .reason: "WHY"
        }
    }

    var isRightAligned: Bool { self == .reports || self == .since }

    /// A dash stands for an unknown value.
    func cell(_ snapshot: GatewaySnapshot, wall: UnixTime) -> String {
        let isAway = snapshot.condition == .offline
        switch self {
        case .gateway: return snapshot.name.description
        case .state: return snapshot.condition.rawValue
        case .since: return snapshot.since.map { Age(from: $0, to: wall).brief } ?? "-"
        case .version: return snapshot.status?.version.printable(limit: 20) ?? "-"
        case .reports:
            guard !isAway, let rate = snapshot.health?.radio.reportsPerSecond else { return "-" }
            return rate.grouped
        case .clock: return snapshot.clock?.rawValue ?? "-"
        case .backlog:
            guard let outbox = snapshot.health?.outbox else { return "-" }
            guard let backlog = snapshot.health?.backlog else {
                return isAway ? "\(outbox.batches)" : ""
            }
            return "\(backlog.messages.grouped) \(Age(backlog.age).brief)"
        case .layers: return snapshot.report?.versions.brief ?? "-"
        case .broker: return snapshot.health?.broker?.printable(limit: 80) ?? "-"
        case .reason: return snapshot.reason
        }
    }
}

extension LayerVersions {
    /// `3/12/7`: fleet, site, gateway; a dash for no document.
    var brief: String {
        Topics.Layer.allCases.map { self[$0].map { "\($0)" } ?? "-" }.joined(separator: "/")
    }
}

/// The order of the gateways.
enum StatusOrder: String, CaseIterable {
    /// The worst state first, then by name.
    case state
    case name
    /// The fewest reports a second first.
    case reports
    /// The oldest waiting message first.
    case backlog
    /// The certificate that ends first; gateways without one are last.
    case certificate

    static let words = allCases.map(\.rawValue)

    /// The order after this one; the first follows the last.
    var next: StatusOrder {
        let following = Self.allCases.drop { $0 != self }.dropFirst()
        return following.first ?? .state
    }

    /// - Parameter snapshots: in the order of their states.
    func sorted(_ snapshots: [GatewaySnapshot]) -> [GatewaySnapshot] {
        switch self {
        case .state: snapshots
        case .name: snapshots.sorted { $0.name < $1.name }
        case .reports:
            snapshots.sorted {
                let rates = ($0.health?.radio.reportsPerSecond, $1.health?.radio.reportsPerSecond)
                return (rates.0 ?? -1, $0.name) < (rates.1 ?? -1, $1.name)
            }
        case .backlog:
            snapshots.sorted {
                let ages = ($0.health?.outbox.oldestAge, $1.health?.outbox.oldestAge)
                return (ages.1 ?? .zero, $0.name) < (ages.0 ?? .zero, $1.name)
            }
        case .certificate:
            snapshots.sorted {
                let ends = ($0.health?.certificateExpiresAt, $1.health?.certificateExpiresAt)
                return (ends.0 ?? .max, $0.name) < (ends.1 ?? .max, $1.name)
            }
        }
    }
}

/// A time that has passed; 0 if the clocks differ.
struct Age {
    let duration: Duration

    init(_ duration: Duration) { self.duration = max(.zero, duration) }

    init(from start: UnixTime, to end: UnixTime) { self.init(end - start) }

    /// The largest unit, for a column: `12s`, `3m`, `5h`, `40d`.
    var brief: String {
        let seconds = duration.components.seconds
        if seconds < 60 { return "\(seconds)s" }
        if seconds < 3600 { return "\(seconds / 60)m" }
        if seconds < 86_400 { return "\(seconds / 3600)h" }
        return "\(seconds / 86_400)d"
    }
}
