import Beacons
import Primitives
import Subscriber
import Terminal

extension WatchRenderer {
    /// A beacon at one gateway, with what its row needs.
    struct HearingRow {
        let identity: BeaconIdentity
        let gateway: GatewayName
        let hearing: WatchedBeacon.Hearing
        /// The number of gateways that hear the beacon.
        let gateways: Int
        /// The newest second of the gateway's clock.
        let second: Int64
        let age: Duration
        let isFading: Bool
        let isGone: Bool

        var style: StyledLine.Style { isFading ? .faint : .plain }
    }

    typealias HearingColumn = ScreenTable<HearingRow>.Column

    /// The list of beacons: title, headings and rows.
    func beaconLines(
        _ model: WatchModel, _ view: WatchView, _ page: WatchPage, at now: Instant
    ) -> [StyledLine] {
        guard !model.beacons.isEmpty else { return [] }
        let families = Set(model.places.map(\.family))
        let names = nameWidth(model.gateways.keys)
        var columns: [HearingColumn] = families.count > 1 ? [familyColumn(families)] : []
        columns += identityColumns
        columns += [gatewayColumn(names), countColumn]
        columns += signalColumns
        columns += [barColumn]
        columns += ageColumns
        columns += [historyColumn(12...60, seconds: 60, heading: "LAST 60 S")]
        let table = ScreenTable(columns, width: rowWidth)
        let shown = view.beacons.position.shown(of: page.beacons, height: page.beaconHeight)
        let selected =
            view.focus == .beacons ? view.beacons.position.index(in: page.beacons) : nil
        var title = title(
            "BEACONS", shown, of: page.beacons.count, order: view.beacons.order.rawValue,
            filter: view.beacons.filter.text, hasFocus: view.focus == .beacons)
        if families.count == 1, let family = families.first { title.append("  \(family)", .faint) }
        var lines = [title, table.headings.marked(isSelected: false)]
        for index in shown {
            let identity = page.beacons[index]
            guard let beacon = model.beacons[identity],
                let (name, hearing) = beacon.strongest(at: now)
            else { continue }
            let row = row(identity, beacon, name, hearing, model, at: now)
            lines.append(table.line(row).marked(isSelected: index == selected))
        }
        return lines
    }

    func row(
        _ identity: BeaconIdentity, _ beacon: WatchedBeacon, _ name: GatewayName,
        _ hearing: WatchedBeacon.Hearing, _ model: WatchModel, at now: Instant
    ) -> HearingRow {
        let isGone = hearing.end <= now
        let age = now - hearing.lastHeard
        return HearingRow(
            identity: identity, gateway: name, hearing: hearing,
            gateways: beacon.hearings.count { $0.value.end > now },
            second: model.gateways[name]?.second(at: now) ?? hearing.history.newest, age: age,
            // Some seconds, or more than a wide window.
            isFading: isGone
                || age > max(.seconds(3), hearing.end - hearing.lastHeard - .seconds(7)),
            isGone: isGone)
    }

    var identityColumns: [HearingColumn] {
        [
            .right("MAJOR", 5, importance: 1) { .init($0.identity.number(\.major), $0.style) },
            .right("MINOR", 5, importance: 1) { .init($0.identity.number(\.minor), $0.style) },
        ]
    }

    /// The digits of the UUID, or of what another format has in its place, that distinguish all of them.
    func familyColumn(_ families: Set<String>) -> HearingColumn {
        var digits = 8
        while digits < 36, Set(families.map { $0.prefix(digits) }).count < families.count {
            digits += 4
        }
        // The mark of a clipped text takes one more.
        return .left("UUID", min(digits + 1, 36), importance: 1) {
            .init($0.identity.family, $0.style)
        }
    }

    func gatewayColumn(_ names: Int) -> HearingColumn {
        .left("GATEWAY", names, importance: 2) { .init("\($0.gateway)", $0.style) }
    }

    private var countColumn: HearingColumn {
        .right("GWS", 3, importance: 9) { .init("\($0.gateways)", $0.style) }
    }

    /// Rate and RSSI. A beacon that left has none.
    var signalColumns: [HearingColumn] {
        [
            .right("/S", 5, importance: 7) { .init($0.shown { $0.perSecond.tenths }, $0.style) },
            .right("MEAN", 5, importance: 5) { .init($0.shown { $0.mean?.tenths }, $0.style) },
            .right("MAX", 4, importance: 3) {
                .init($0.shown { $0.max.map { "\($0)" } }, $0.style)
            },
        ]
    }

    private var barColumn: HearingColumn {
        .wide(SignalBar.widths, importance: 4, heading: { SignalBar.scale(width: $0) }) {
            row, width in
            let bar = SignalBar(width: width, unicode: unicode)
            let (mean, max) = row.isGone ? (nil, nil) : (row.hearing.mean, row.hearing.max)
            let isNear = row.style == .plain && (max ?? .min) >= Self.near
            return .init(
                bar.text(mean: mean, max: max.map(Double.init)), isNear ? .good : row.style)
        }
    }

    var ageColumns: [HearingColumn] {
        [
            .right("AGE", 6, importance: 6) { .init($0.age.shortText, $0.style) },
            .right("SENDERS", 7, importance: 10) { row in
                let isClaimedTwice = row.hearing.senders > 1 || row.hearing.isEcho
                let text = (row.hearing.isEcho ? "echo " : "") + row.hearing.senders.grouped
                return .init(text, isClaimedTwice && row.style == .plain ? .warning : row.style)
            },
        ]
    }

    /// In dBm: such a beacon is near the gateway.
    private static let near: Int8 = -60

    func historyColumn(
        _ widths: ClosedRange<Int>, seconds: Int64, heading: String
    ) -> HearingColumn {
        .wide(widths, importance: 11, heading: { String(heading.prefix($0)) }) { row, width in
            let values = row.hearing.history.columns(width, seconds: seconds, upTo: row.second)
            return .init(signalLine.text(values), row.style)
        }
    }
}

extension WatchRenderer.HearingRow {
    /// A value of the latest window; a dash without one.
    fileprivate func shown(_ text: (WatchedBeacon.Hearing) -> String?) -> String {
        (isGone ? nil : text(hearing)) ?? "–"
    }
}

extension BeaconIdentity {
    /// What major and minor do not say: an iBeacon's UUID, an AltBeacon's first 16 bytes, or all of an Eddystone beacon's identity.
    var family: String {
        switch format {
        case .iBeacon: "\(uuid)"
        case .altBeacon: hexadecimal(0..<16)
        case .eddystoneUID: description
        }
    }

    /// Major or minor; an Eddystone beacon has none.
    fileprivate func number(_ path: KeyPath<BeaconIdentity, UInt16>) -> String {
        format == .eddystoneUID ? "–" : "\(self[keyPath: path])"
    }
}
