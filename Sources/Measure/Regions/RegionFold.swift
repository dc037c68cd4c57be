import Facts
import Primitives
import Queueing

/// The fold of a site's seconds into events of its regions.
struct RegionFold: SecondFold {
    /// The gateways of a region, by the detectors that its rule chooses.
    struct Region {
        let index: Int
        let name: String
        let rule: Int
        let gateways: [Int]
    }

    var seconds: SiteSeconds
    /// By rule and gateway; `nil` where no region has both.
    private(set) var detectors: [[GatewayDetector?]]
    private let rules: [ExitRule]
    let regions: [Region]
    let gateways: [String]
    private(set) var conditions: [ListeningCondition]
    private var radios: [SilentRadio]
    /// By region.
    private(set) var rosters: [RegionRoster]
    private var hasBegun = false
    private static let forgettingPeriod = Duration.seconds(3600)
    /// What is learnt of a beacon stays for so long after its last report.
    private static let memory = Duration.seconds(86_400)

    init(_ table: RegionTable) {
        gateways = table.gateways
        let rules = table.layouts.map(ExitRule.init)
        let distinct = rules.reduce(into: [ExitRule]()) { list, rule in
            if !list.contains(rule) { list.append(rule) }
        }
        let indices = Dictionary(
            table.gateways.enumerated().map { ($1, $0) }, uniquingKeysWith: { one, _ in one })
        self.rules = distinct
        regions = zip(table.layouts.indices, rules).map { index, rule in
            let layout = table.layouts[index]
            return Region(
                index: index, name: layout.name, rule: distinct.firstIndex(of: rule) ?? 0,
                gateways: layout.gateways.compactMap { indices[$0] }.sorted())
        }
        seconds = SiteSeconds(table.gateways.map { _ in Watermark() })
        detectors = distinct.map { rule in table.gateways.map { _ in GatewayDetector(rule: rule) } }
        for (rule, row) in detectors.enumerated() {
            for gateway in row.indices
            where !regions.contains(where: { $0.rule == rule && $0.gateways.contains(gateway) }) {
                detectors[rule][gateway] = nil
            }
        }
        conditions = table.gateways.map { _ in ListeningCondition() }
        radios = table.gateways.map { _ in SilentRadio() }
        rosters = regions.map { _ in RegionRoster() }
    }

    /// Seconds of beacons that were left out, since too many were near a gateway.
    var refused: Int {
        detectors.reduce(0) { $0 + $1.reduce(0) { $0 + ($1?.refused ?? 0) } }
    }

    /// Exits of beacons from gateways that were false: the beacon soon came back.
    var flaps: Int { detectors.reduce(0) { $0 + $1.reduce(0) { $0 + ($1?.flaps ?? 0) } } }

    /// Takes beacons that were in regions before a restart. Until a deadline has passed, it is unknown whether they still are.
    mutating func restore(_ tag: Tag, in region: String, wasUnknown: Bool) {
        guard let index = regions.firstIndex(where: { $0.name == region }) else { return }
        rosters[index].restore(
            tag, wasUnknown: wasUnknown, for: rules[regions[index].rule].longest)
    }

    /// Tells the gateways which beacons were near before the restart.
    private mutating func expectRestored() {
        hasBegun = true
        for region in regions {
            for tag in rosters[region.index].restored.keys {
                for gateway in region.gateways {
                    detectors[region.rule][gateway]?.expect(tag)
                }
            }
        }
    }

    /// Decides about those of them that are heard: now all their regions are known. Where one of these would take one report for an entry,
    /// the beacon has to enter anew.
    private mutating func examineExpected(_ states: [GatewaySecond], _ subjects: RegionSubjects) {
        for rule in detectors.indices {
            for gateway in states.indices {
                guard let expected = detectors[rule][gateway]?.expected, !expected.isEmpty else {
                    continue
                }
                let sharing = regions.filter { $0.rule == rule && $0.gateways.contains(gateway) }
                guard sharing.contains(where: { !rosters[$0.index].restored.isEmpty }) else {
                    detectors[rule][gateway]?.expectNoLonger(nil)
                    continue
                }
                for level in states[gateway].levels where expected.contains(level.tag) {
                    let isIn = sharing.allSatisfy {
                        !subjects.has(level.tag, in: $0.index) || rosters[$0.index].had(level.tag)
                    }
                    if !isIn { detectors[rule][gateway]?.expectNoLonger(level.tag) }
                }
            }
        }
    }

    // MARK: Folding

    private static let deaf = GatewaySecond(deaf: .seconds(1))

    private mutating func isDeaf(
        _ gateway: Int, _ state: GatewaySecond, at second: UnixSecond
    ) -> Bool {
        var radio = radios[gateway]
        defer { radios[gateway] = radio }
        return radio.on(state, at: second) { last in
            detectors.reduce(into: SilentRadio.Beacons()) { sum, row in
                guard let near = row[gateway]?.beacons(silentSince: last) else { return }
                sum.silent.formUnion(near.silent)
                sum.reports = max(sum.reports, near.reports)
            }
        }
    }

    mutating func on(
        _ states: [GatewaySecond], at second: UnixSecond, _ subjects: RegionSubjects
    ) -> [RegionEvent] {
        if !hasBegun { expectRestored() }
        examineExpected(states, subjects)
        let states = states.enumerated().map { isDeaf($0, $1, at: second) ? Self.deaf : $1 }
        var changes: [[[GatewayDetector.Change]]] = []
        for rule in detectors.indices {
            changes.append(
                states.indices.map { gateway in
                    detectors[rule][gateway]?.on(states[gateway], at: second) ?? []
                })
        }
        if second.isMultiple(of: Self.forgettingPeriod) { forget(at: second) }
        // All conditions take the second.
        let turned = states.indices.filter { conditions[$0].on(states[$0], at: second) }
        return regions.indices.flatMap { region -> [RegionEvent] in
            let gateways = regions[region].gateways
            let own = gateways.flatMap { changes[regions[region].rule][$0] }
            let known = turned.filter(gateways.contains)
            let isCertain = known.isEmpty && !gateways.contains { conditions[$0].isUnknown }
            guard !own.isEmpty || !isCertain || !rosters[region].unknown.isEmpty else { return [] }
            return update(region, own, known, isCertain: isCertain, subjects, at: second)
        }
    }

    mutating func skip(_ span: Range<UnixSecond>, _ states: [GatewaySecond]) -> [RegionEvent] {
        for gateway in conditions.indices { conditions[gateway].skip() }
        return []
    }

    func decided() -> (RegionEvent) -> Bool {
        let end = seconds.next?.start ?? .min
        return { $0.decidedAt <= end }
    }

    private mutating func forget(at second: UnixSecond) {
        for rule in detectors.indices {
            for gateway in conditions.indices {
                detectors[rule][gateway]?.forget(before: second - Self.memory)
            }
        }
    }

    // MARK: Regions

    private mutating func update(
        _ region: Int, _ own: [GatewayDetector.Change], _ turned: [Int], isCertain: Bool,
        _ subjects: RegionSubjects, at second: UnixSecond
    ) -> [RegionEvent] {
        let changes = Dictionary(grouping: own, by: \.tag)
        var tags = Set(changes.keys)
        // A gateway that is known now may have heard beacons before.
        for gateway in turned {
            tags.formUnion(detectors[regions[region].rule][gateway]?.inside ?? [])
        }
        tags = tags.filter { subjects.has($0, in: region) }
        tags.formUnion(rosters[region].unknown.keys)
        if !isCertain { tags.formUnion(rosters[region].inside.keys) }
        return tags.sorted().compactMap { tag in
            var evidence = evidence(of: tag, in: region, at: second)
            evidence.isPerson = subjects[tag]?.identity == nil
            let kind = rosters[region].update(
                tag, evidence,
                entered: entries(of: tag, in: region).map(\.time).min() ?? second.start,
                at: second)
            return kind.map { event($0, tag, region, changes[tag] ?? [], at: second) }
        }
    }

    private func evidence(
        of tag: Tag, in region: Int, at second: UnixSecond
    ) -> RegionRoster.Evidence {
        var evidence = RegionRoster.Evidence()
        for gateway in regions[region].gateways {
            let condition = conditions[gateway]
            if condition.isUnknown { evidence.isAnyUnknown = true }
            guard let presence = detectors[regions[region].rule][gateway]?[tag],
                presence.isInside
            else { continue }
            let last = presence.lastSecond
            // A report says something at once, and silence only after some time.
            guard !condition.isUnknown || condition.hasListened(since: last, to: second) else {
                continue
            }
            evidence.isHeard = true
            evidence.lastHeard = max(evidence.lastHeard ?? last, last)
        }
        return evidence
    }

    /// How the beacon came to the gateways that have it.
    private func entries(of tag: Tag, in region: Int) -> [GatewayPresence.Entry] {
        let row = detectors[regions[region].rule]
        return regions[region].gateways.compactMap { row[$0]?[tag]?.entry }
    }

    private func event(
        _ kind: RegionEvent.Kind, _ tag: Tag, _ region: Int, _ changes: [GatewayDetector.Change],
        at second: UnixSecond
    ) -> RegionEvent {
        var why = RegionEvent.Why()
        let row = detectors[regions[region].rule]
        let heard = regions[region].gateways.filter { row[$0]?[tag] != nil }
        let last = heard.compactMap { row[$0]?[tag]?.last }.max() ?? second.start
        var at = second.start
        switch kind {
        case .enter:
            at = rosters[region].inside[tag] ?? at
            let entered = heard.filter { row[$0]?[tag]?.isInside ?? false }
            why.gateways = entered.map { gateways[$0] }
            for entry in entries(of: tag, in: region) {
                why.reports = (why.reports ?? 0) + entry.reports
                why.power = max(why.power ?? entry.power, entry.power)
            }
        case .exit, .unknown:
            let lasts = heard.filter { row[$0]?[tag]?.last == last }
            why.gateways = lasts.map { gateways[$0] }
            // After a restart, no gateway may have heard it.
            why.silence = heard.isEmpty ? nil : second.next.start - last
            guard kind == .exit else { break }
            // The last report, and half of a mean interval.
            at = last
            let deadlines = changes.compactMap { change -> ExitDeadline? in
                if case .left(let deadline) = change.change { deadline } else { nil }
            }
            if let deadline = deadlines.max(by: { $0.silence < $1.silence }) {
                why.deadline = deadline.silence
                why.rate = deadline.rate
                why.falsePerDay = deadline.falsePerDay
                why.meanGap = .milliseconds(Int64((deadline.meanGap * 1000).rounded()))
                at = min(last + (why.meanGap ?? .zero) / 2, second.next.start)
            }
        }
        return RegionEvent(
            region: regions[region].name, tag: tag, kind: kind, at: at,
            decidedAt: second.next.start, why: why)
    }
}
