import Contract
import Primitives
import Subscriber
import Terminal

extension WatchRenderer {
    private typealias Column = ScreenTable<(name: GatewayName, gateway: WatchedGateway)>.Column

    /// The list of gateways: title, headings and rows.
    func gatewayLines(
        _ model: WatchModel, _ view: WatchView, _ page: WatchPage, at now: Instant
    ) -> [StyledLine] {
        let names = nameWidth(model.gateways.keys)
        var seen: [GatewayName: Int] = [:]
        for beacon in model.beacons.values {
            for (name, hearing) in beacon.hearings where hearing.end > now {
                seen[name, default: 0] += 1
            }
        }
        let table = ScreenTable(columns(names: names, seen: seen, at: now), width: rowWidth)
        let shown = view.gateways.position.shown(of: page.gateways, height: page.gatewayHeight)
        let selected =
            view.focus == .gateways ? view.gateways.position.index(in: page.gateways) : nil
        var lines = [
            title(
                "GATEWAYS", shown, of: page.gateways.count, order: view.gateways.order.rawValue,
                filter: view.gateways.filter.text, hasFocus: view.focus == .gateways),
            table.headings.marked(isSelected: false),
        ]
        for index in shown {
            let name = page.gateways[index]
            guard let gateway = model.gateways[name] else { continue }
            let row =
                sentence(name, gateway, names: names, at: now) ?? table.line((name, gateway))
            lines.append(row.marked(isSelected: index == selected))
        }
        let missing = page.gatewayHeight - shown.count
        return lines + Array(repeating: StyledLine(), count: max(0, missing))
    }

    /// A gateway whose numbers matter less than a sentence: its name, its state, and the reason of a problem or what a
    /// retune has changed.
    private func sentence(
        _ name: GatewayName, _ gateway: WatchedGateway, names: Int, at now: Instant
    ) -> StyledLine? {
        let condition = gateway.condition(at: now)
        let retuned = gateway.retuned.map { now - $0 < WatchedGateway.retuneShown } ?? false
        let text: StyledLine.Piece
        if retuned, condition > .rejected, let tuning = gateway.tuning {
            text = .init("retuned: \(tuning.text)", .good)
        } else if condition.hidesNumbers {
            text = .init(gateway.reason(at: now))
        } else {
            return nil
        }
        var line = StyledLine("\(name)".clipped(names).padded(names))
        line.append("  ")
        line.append(condition.rawValue.padded(Self.stateWidth), condition.style)
        line.append("  ")
        line.append(text.text, text.style)
        return line
    }

    private static let stateWidth = 8

    private func columns(
        names: Int, seen: [GatewayName: Int], at now: Instant
    ) -> [Column] {
        [
            .left("GATEWAY", names, importance: 1) { .init("\($0.name)") },
            .left("STATE", Self.stateWidth, importance: 2) { row in
                let condition = row.gateway.condition(at: now)
                return .init(condition.rawValue, condition.style)
            },
            .right("LAST", 6, importance: 3) { row in
                .init(row.gateway.state.lastMessage.map { (now - $0).shortText } ?? "–")
            },
            .right("REPORTS/S", 9, importance: 4) {
                .init($0.gateway.state.reportsPerSecond.brief)
            },
            .right("BEACONS/S", 9, importance: 8) {
                .init($0.gateway.state.beaconsPerSecond.brief)
            },
            .right("SEEN", 5, importance: 5) { .init(seen[$0.name, default: 0].grouped) },
            .right("WINDOW", 7, importance: 6) { row in
                .init(row.gateway.windowWidth.map(\.widthText) ?? "–")
            },
            .left("CLOCK", 8, importance: 7) { row in
                .init(row.gateway.state.clock?.rawValue ?? "–")
            },
            .wide(12...60, importance: 9, heading: { _ in "LAST 60 S" }) { row, width in
                .init(reportsLine(row.gateway, width, seconds: 60, at: now))
            },
        ]
    }

    /// A sparkline of reports per second from zero to the most of its time.
    func reportsLine(
        _ gateway: WatchedGateway, _ width: Int, seconds: Int64, at now: Instant
    ) -> String {
        let values = gateway.history.columns(width, seconds: seconds, upTo: gateway.second(at: now))
        let most = values.compactMap(\.self).max() ?? 0
        return Sparkline(0...max(1, most), unicode: unicode).text(values)
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
