import Beacons
import Contract
import Primitives
import Subscriber
import Terminal

extension WatchRenderer {
    /// One gateway or one beacon, from line `first` of its list on.
    func details(
        _ opened: WatchView.Opened, _ model: WatchModel, first: Int, height: Int, at now: Instant
    ) -> [StyledLine] {
        var lines: [StyledLine]
        let rows: [HearingRow]
        var columns: [HearingColumn]
        switch opened {
        case .gateway(let name):
            lines = head(of: name, model, at: now)
            rows = model.places.compactMap { identity in
                guard let beacon = model.beacons[identity], let hearing = beacon.hearings[name]
                else { return nil }
                return row(identity, beacon, name, hearing, model, at: now)
            }
            let uuids = Set(rows.map(\.identity.uuid))
            if let uuid = uuids.first, uuids.count == 1 { lines.append(StyledLine("UUID \(uuid)")) }
            columns = (uuids.count > 1 ? [uuidColumn(uuids)] : []) + identityColumns
        case .beacon(let identity):
            lines = [
                StyledLine(
                    "beacon  UUID \(identity.uuid)  major \(identity.major)  minor \(identity.minor)",
                    .bold)
            ]
            let beacon = model.beacons[identity] ?? WatchedBeacon()
            rows = beacon.hearings.sorted { $0.key < $1.key }.map { name, hearing in
                row(identity, beacon, name, hearing, model, at: now)
            }
            columns = [gatewayColumn(nameWidth(beacon.hearings.keys))]
            if rows.isEmpty { lines.append(StyledLine("no gateway has heard it for 5 minutes")) }
        }
        // The sparkline takes the place of the bar.
        columns += signalColumns + ageColumns
        columns.append(
            historyColumn(
                12...300, seconds: RecentSeconds.seconds, heading: "LAST 5 MIN  (-100 to -40 dBm)"))
        let table = ScreenTable(columns, width: rowWidth)
        lines += [StyledLine(), table.headings.marked(isSelected: false)]
        let room = max(0, height - lines.count)
        lines += rows.dropFirst(first).prefix(room).map {
            table.line($0).marked(isSelected: false)
        }
        return lines
    }

    private func head(of name: GatewayName, _ model: WatchModel, at now: Instant) -> [StyledLine] {
        guard let gateway = model.gateways[name] else {
            return [StyledLine("\(name) was removed from the broker", .warning)]
        }
        let condition = gateway.condition(at: now)
        var first = StyledLine("gateway \(name)  ", .bold)
        first.append(condition.rawValue, condition.style)
        let state = gateway.state
        let tuning = gateway.tuning.map { "\($0.text); \($0.status.rawValue)" } ?? "not reported"
        let reason = gateway.reason(at: now)
        var lines = [first] + (reason.isEmpty ? [] : wrapped(reason))
        lines += [
            StyledLine("configuration  \(tuning)"),
            StyledLine(
                "reports/s  \(state.reportsPerSecond.brief), of beacons \(state.beaconsPerSecond.brief)"
                    + "   clock  \(state.clock?.rawValue ?? "unknown")"
                    + "   last message  "
                    + (state.lastMessage.map { "\((now - $0).text) ago" } ?? "none")),
        ]
        if let fault = gateway.tuning?.fault, fault != reason {
            lines += wrapped("fault  " + fault)
        }
        if !gateway.losses.isEmpty { lines.append(StyledLine(gateway.losses, .warning)) }
        var reports = StyledLine("reports of 5 minutes  ", .faint)
        let room = max(12, size.columns - reports.width)
        reports.append(
            reportsLine(gateway, min(300, room), seconds: RecentSeconds.seconds, at: now))
        return lines + [reports]
    }

    private func wrapped(_ text: String) -> [StyledLine] {
        text.wrapped(to: size.columns).map { StyledLine($0, .warning) }
    }
}
