import Beacons
import Contract
import Posix
import Primitives
import Subscriber
import Terminal

/// Renders a model and the operator's view of it as the lines of a screen.
struct WatchRenderer {
    /// What surrounds the lists.
    struct Heading: Equatable {
        let broker: String
        /// The lines of `--note`.
        var notes: [String] = []
        /// The reason of the lost connection; `nil` while connected.
        var connectionError: String?
        /// Messages that violate the contract.
        var unreadable = 0
        var isPaused = false
        /// The latest change of a gateway.
        var notice: String?
        /// What to do if there is no gateway.
        var advice: [String] = []
    }

    let size: Terminal.Size
    let colours: Bool
    /// The terminal shows block characters.
    let unicode: Bool

    func lines(
        _ model: WatchModel, _ view: WatchView, _ heading: Heading, at now: Instant
    ) -> [String] {
        let page = WatchPage(
            model, view, size: size, notes: heading.notes.count, at: now)
        var lines = [headLine(model, heading, at: now), noticeLine(heading)]
        lines += heading.notes.map { StyledLine($0) }
        if view.showsHelp {
            lines += Self.help
        } else if let opened = view.opened {
            lines += details(opened, model, first: view.detailsFirst, height: page.height, at: now)
        } else if model.gateways.isEmpty {
            let advice = heading.advice.isEmpty ? ["waiting for gateways"] : heading.advice
            lines += advice.map { StyledLine($0, .warning) }
        } else {
            lines += gatewayLines(model, view, page, at: now)
            lines += beaconLines(model, view, page, at: now)
        }
        let above = max(0, size.rows - WatchPage.footLines)
        lines = Array(lines.prefix(above))
        lines += Array(repeating: StyledLine(), count: above - lines.count)
        lines.append(footer(view))
        return lines.suffix(size.rows).map {
            $0.text(width: size.columns, colours: colours, unicode: unicode)
        }
    }

    /// `sightline  200 gateways: 3 offline, 1 deaf  1,000 beacons  mqtt://broker:1883`.
    private func headLine(
        _ model: WatchModel, _ heading: Heading, at now: Instant
    ) -> StyledLine {
        var line = StyledLine("sightline", .bold)
        if heading.isPaused { line.append("  PAUSED", .warning) }
        line.append("  " + count(model.gateways.count, "gateway"))
        var counts: [GatewayCondition: Int] = [:]
        for gateway in model.gateways.values { counts[gateway.condition(at: now), default: 0] += 1 }
        let problems = GatewayCondition.allCases.filter { $0.needsAttention && counts[$0] != nil }
        for (index, problem) in problems.enumerated() {
            line.append(index == 0 ? ": " : ", ")
            line.append(
                "\(counts[problem, default: 0].grouped) \(problem.rawValue)", problem.style)
        }
        let present = model.beacons.count { !$0.value.isGone(at: now) }
        line.append("  " + count(present, "beacon"))
        if heading.unreadable > 0 {
            line.append("  \(count(heading.unreadable, "message")) invalid", .warning)
        }
        if model.refused > 0 { line.append("  too many to show", .warning) }
        line.append("  \(heading.broker)", .faint)
        return line
    }

    private func noticeLine(_ heading: Heading) -> StyledLine {
        if let error = heading.connectionError { return StyledLine(error, .bad) }
        return StyledLine(heading.notice ?? "", .faint)
    }

    private func footer(_ view: WatchView) -> StyledLine {
        if view.filter.isTyping {
            let list = view.focus == .gateways ? "gateways" : "beacons"
            return StyledLine(
                "filter \(list): /\(view.filter.text)_   Enter keeps it, Esc removes it")
        }
        if view.showsHelp || view.opened != nil {
            return StyledLine("q quit  Esc back  ? help  Up/Down scroll  p pause", .faint)
        }
        return StyledLine(
            "q quit  ? help  Up/Down  Enter details  Tab list  / filter  s sort  p pause",
            .faint)
    }

    /// The line above a list: `GATEWAYS  1–9 of 200, by problems, filter “till”`.
    func title(
        _ name: String, _ shown: Range<Int>, of total: Int, order: String, filter: String,
        hasFocus: Bool
    ) -> StyledLine {
        var line = StyledLine(name, hasFocus ? .bold : .faint)
        let part =
            shown.isEmpty ? "0" : "\((shown.lowerBound + 1).grouped)–\(shown.upperBound.grouped)"
        line.append("  \(part) of \(total.grouped), by \(order)", .faint)
        if !filter.isEmpty { line.append(", filter /\(filter)", .warning) }
        return line
    }

    /// The columns of a row.
    var rowWidth: Int { max(0, size.columns - StyledLine.markWidth) }

    /// The width of a column of gateways' names.
    func nameWidth(_ names: some Sequence<GatewayName>) -> Int {
        let longest = names.reduce(7) { max($0, $1.description.utf8.count) }
        return min(longest, max(20, size.columns / 2))
    }

    /// A sparkline of RSSI, whose scale is that of the bars.
    var signalLine: Sparkline { Sparkline(SignalBar.range, unicode: unicode) }

    private static let help = [
        "",
        "Up, Down, Page Up, Page Down, Home, End   move the selection",
        "Tab      the other list: gateways or beacons",
        "Enter    details of the selected gateway or beacon, with its last 5 minutes",
        "Esc      back; without details, removes the filter",
        "/        filter: all words must occur in the name and state of a gateway, or",
        "         in the identity and the gateways of a beacon",
        "s        next order: problems, name; appearance, identity, strength",
        "p        pause or continue the display; messages are still counted",
        "Ctrl-L   draw the screen anew",
        "q        quit",
        "",
        "Gateways with problems come first, with the reason. A beacon that leaves is",
        "faint after 3 s, and keeps its place until a new beacon takes it.",
        "Bars are filled up to the mean, and lighter up to the strongest report.",
        "Sparklines of RSSI reach from -100 to -40 dBm; those of reports from 0 to the",
        "most in their time.",
    ].map { StyledLine($0) }
}

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
            let families = Set(rows.map(\.identity.family))
            if let family = families.first, families.count == 1 {
                lines.append(StyledLine("UUID \(family)"))
            }
            columns = (families.count > 1 ? [familyColumn(families)] : []) + identityColumns
        case .beacon(let identity):
            lines = [
                StyledLine(
                    identity.isIBeacon
                        ? "beacon  UUID \(identity.uuid)  major \(identity.major)  minor \(identity.minor)"
                        : "beacon  \(identity.format.word) \(identity)",
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
