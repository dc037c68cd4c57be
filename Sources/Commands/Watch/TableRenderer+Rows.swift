import CommandSupport
import Primitives

extension TableRenderer {
    /// The columns that fit, for all rows.
    private struct Layout {
        /// Digits of the UUID column; zero if all rows have the same UUID.
        let uuidDigits: Int
        let names: Int
        let showsMax: Bool
        let showsMean: Bool
        let showsRate: Bool
        let bar: SignalBar?
        let showsAge: Bool
        let showsSenders: Bool
    }

    /// The beacons under their headings, in `room` lines.
    func rowLines(
        _ rows: [WatchModel.Row], atMost room: Int, at now: Instant
    ) -> [StyledLine] {
        let layout = layout(rows)
        var lines: [StyledLine] = []
        if layout.uuidDigits == 0, let first = rows.first {
            lines.append(StyledLine("UUID \(first.identity.uuid)", .faint))
        }
        lines.append(StyledLine(headings(layout), .faint))
        let groups = groups(of: rows)
        let limits = Self.share(room - lines.count, among: groups.map(\.count))
        var hidden = 0
        for (group, limit) in zip(groups, limits) {
            for (index, row) in group.prefix(limit).enumerated() {
                lines.append(self.line(row, layout, isFirst: index == 0, at: now))
            }
            if limit == 0 { hidden += group.count }
            if limit > 0, limit < group.count {
                let more = "… and \((group.count - limit).grouped) more"
                lines.append(
                    StyledLine(String(repeating: " ", count: layout.names + 2) + more, .faint))
            }
        }
        if hidden > 0 {
            lines.append(StyledLine("… and \(count(hidden, "more sighting"))", .faint))
        }
        return lines
    }

    private func groups(of rows: [WatchModel.Row]) -> [ArraySlice<WatchModel.Row>] {
        var groups: [ArraySlice<WatchModel.Row>] = []
        var start = rows.startIndex
        for index in rows.indices where rows[index].gateway != rows[start].gateway {
            groups.append(rows[start..<index])
            start = index
        }
        return rows.isEmpty ? [] : groups + [rows[start...]]
    }

    /// The rows that each gateway shows: the same number for all, at most what it has. A line with the number of hidden
    /// rows counts as well. Zero for gateways that do not fit.
    static func share(_ room: Int, among sizes: [Int]) -> [Int] {
        func need(_ limit: Int) -> Int {
            sizes.reduce(0) { $0 + ($1 > limit ? limit + 1 : $1) }
        }
        var limit = min(sizes.max() ?? 0, max(1, room))
        while limit > 1, need(limit) > room { limit -= 1 }
        if need(limit) <= room { return sizes.map { min($0, limit) } }
        // Less than one row and one line for each gateway: the first gateways, and one line for the others.
        var left = max(0, room - 1)
        return sizes.map { size in
            let lines = size > 1 ? 2 : 1
            guard lines <= left else {
                left = 0
                return 0
            }
            left -= lines
            return 1
        }
    }

    private func layout(_ rows: [WatchModel.Row]) -> Layout {
        let uuids = Set(rows.map(\.identity.uuid)).map(\.description)
        var digits = uuids.count > 1 ? 8 : 0
        while digits > 0, digits < 36, Set(uuids.map { $0.prefix(digits) }).count < uuids.count {
            digits += 4
        }
        let names = max(7, rows.map { $0.gateway.description.count }.max() ?? 0)
        // Gateway, UUID with its mark, major and minor.
        var left = screen.width - (names + (digits > 0 ? min(digits, 36) + 3 : 0) + 7 + 7)
        var isFull = false
        // The most important column first. After the first column that does not fit, none is shown.
        func takes(_ width: Int) -> Bool {
            isFull = isFull || left < width
            if !isFull { left -= width }
            return !isFull
        }
        let showsMax = takes(5)
        let showsMean = takes(7)
        let showsRate = takes(8)
        let showsBar = takes(2 + SignalBar.widths.lowerBound)
        let showsAge = takes(9)
        let showsSenders = takes(9)
        let width = SignalBar.widths.lowerBound + max(0, left)
        return Layout(
            uuidDigits: digits, names: names, showsMax: showsMax, showsMean: showsMean,
            showsRate: showsRate,
            bar: showsBar
                ? SignalBar(width: min(width, SignalBar.widths.upperBound), unicode: screen.unicode)
                : nil,
            showsAge: showsAge, showsSenders: showsSenders)
    }

    private func headings(_ layout: Layout) -> String {
        var text = "GATEWAY".padded(layout.names)
        if layout.uuidDigits > 0 { text += "  " + "UUID".padded(layout.uuidDigits + 1) }
        text += "  MAJOR  MINOR"
        if layout.showsRate { text += "      /S" }
        if layout.showsMean { text += "   MEAN" }
        if layout.showsMax { text += "  MAX" }
        if let bar = layout.bar { text += "  " + SignalBar.scale(width: bar.width) }
        if layout.showsAge { text += "      AGE" }
        if layout.showsSenders { text += "  SENDERS" }
        return text
    }

    private func line(
        _ row: WatchModel.Row, _ layout: Layout, isFirst: Bool, at now: Instant
    ) -> StyledLine {
        let age = now - row.lastHeard
        let style: StyledLine.Style = age > Self.fading ? .faint : .plain
        // The gateway's name is on its first row only.
        var line = StyledLine((isFirst ? row.gateway.description : "").padded(layout.names), style)
        if layout.uuidDigits > 0 {
            let uuid = row.identity.uuid.description
            let mark = uuid.count > layout.uuidDigits ? (screen.unicode ? "…" : "~") : ""
            line.append(
                "  " + (uuid.prefix(layout.uuidDigits) + mark).padded(layout.uuidDigits + 1), style)
        }
        line.append(
            String(row.identity.major).rightAligned(7)
                + String(row.identity.minor).rightAligned(7), style)
        if layout.showsRate { line.append(row.perSecond.tenths.rightAligned(8), style) }
        if layout.showsMean { line.append((row.mean?.tenths ?? "–").rightAligned(7), style) }
        if layout.showsMax {
            line.append((row.max.map { String($0) } ?? "–").rightAligned(5), style)
        }
        if let bar = layout.bar {
            line.append("  ")
            line.append(
                bar.text(mean: row.mean, max: row.max.map(Double.init)),
                style == .faint ? .faint : row.strength)
        }
        if layout.showsAge { line.append(age.shortText.rightAligned(9), style) }
        if layout.showsSenders {
            let isClaimedTwice = row.senders > 1 || row.isEcho
            line.append(
                ((row.isEcho ? "echo " : "") + row.senders.grouped).rightAligned(9),
                isClaimedTwice && style == .plain ? .warning : style)
        }
        return line
    }
}

extension WatchModel.Row {
    /// The style by distance: −60 dBm and above is near the gateway.
    fileprivate var strength: StyledLine.Style {
        guard let max else { return .faint }
        return max >= -60 ? .good : .plain
    }
}
