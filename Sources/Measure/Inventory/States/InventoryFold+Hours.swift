import Facts
import Primitives

/// What an hour teaches: levels, rates, voltages and silences.
extension InventoryFold {
    mutating func closeHours(_ seconds: Range<UnixSecond>, _ found: inout Found) {
        let end = seconds.upperBound.floored(to: .seconds(3600))
        guard end > seconds.lowerBound else { return }
        // After a pause, the hour in which it began is closed.
        let start = seconds.lowerBound.floored(to: .seconds(3600))
        var hour = InventoryHour(
            start: start.start, gateways: gateways, known: known, exposure: hourExposure,
            silences: Array(hourSilences.sorted(by: >).prefix(SilencePool.most)),
            beacons: tracks.indices.compactMap { tracks[$0].close(known: known, start: start) })
        (hourExposure, hourSilences) = (0, [])
        known = known.map { _ in 0 }
        let changes = judge(&hour, at: seconds.upperBound.advanced(by: -1))
        deadline = pool.deadline(of: table.expected)
        cover(at: seconds.upperBound)
        found.events += changes
        found.hours.append(hour)
    }

    /// Takes the levels of an hour, and finds beacons that are in another place or send less.
    private mutating func judge(
        _ hour: inout InventoryHour, at second: UnixSecond
    ) -> [InventoryEvent] {
        let number = UnixSecond(containing: hour.start).hour
        let places = Dictionary(
            tracks.indices.map { (tracks[$0].key, $0) }, uniquingKeysWith: { first, _ in first })
        let judged = hour.beacons.indices.compactMap { place -> JudgedBeacon? in
            guard let index = places[hour.beacons[place].tag] else { return nil }
            let levels = hour.levels(hour.beacons[place], number)
            // Assets move: their levels say nothing, of them or of the gateways.
            let hasPlace = table.entries[index].beacon.kind.hasPlace
            return JudgedBeacon(
                place: place, index: index, hour: levels,
                deviations: hasPlace ? tracks[index].levels.deviations(of: levels) : [])
        }
        let common = JudgedBeacon.common(judged, gateways: gateways.count)
        var events: [InventoryEvent] = []
        for one in judged {
            // The levels of several devices are of no place. A beacon that has been away for most of the hour has none.
            guard tracks[one.index].clone == nil, tracks[one.index].missing == nil else { continue }
            let change = tracks[one.index].levels.take(one.hour, one.deviations, common: common)
            hour.beacons[one.place].change = tracks[one.index].levels.change?.stored
            if let change {
                let (kind, evidence) = evidence(of: change, one.index)
                events.append(event(kind, one.index, evidence, from: second, at: second))
            }
        }
        for index in tracks.indices {
            if let clone = tracks[index].clone, second - clone.last > BeaconTrack.cloneMemory {
                tracks[index].clone = nil
            }
        }
        for beacon in hour.beacons {
            guard let index = places[beacon.tag], let millivolts = beacon.millivolts else {
                continue
            }
            tracks[index].battery.take(millivolts, on: Int(second.day))
            let trend = tracks[index].battery.trend
            let isEnding = trend?.isEnding ?? false
            if isEnding, !tracks[index].isBatteryEnding, let trend {
                events.append(
                    event(.battery, index, BeaconEvidence(trend), from: second, at: second))
            }
            tracks[index].isBatteryEnding = isEnding
        }
        return events
    }

    func evidence(
        of change: LevelHistory.Change, _ index: Int
    ) -> (InventoryEvent.Kind, BeaconEvidence) {
        let gateways = usualGateways(of: index)
        switch change {
        case .moved(let score):
            // In the simulation, none in 300,000 beacon-hours: below 2 a week of 1,000 beacons, with 95 %.
            let most = 2 * Double(table.expected) / 1000
            return (
                .moved,
                BeaconEvidence {
                    ($0.score, $0.threshold) = (score, LevelHistory.threshold)
                    ($0.falsePerWeek, $0.gateways) = (most, gateways)
                }
            )
        case .slower(let rate, let usual):
            return (
                .interval,
                BeaconEvidence {
                    ($0.rate, $0.usualRate, $0.gateways) = (rate, usual, gateways)
                }
            )
        }
    }

    // MARK: Restart

    /// Takes over an hour of an earlier run.
    mutating func restore(_ hour: InventoryHour) {
        let own = hour.gateways.map { index(of: $0) }
        var listened = Array(repeating: 0, count: gateways.count)
        for (place, index) in own.enumerated() where index != nil {
            listened[index ?? 0] = hour.known[place]
        }
        pool.exposure += hour.exposure
        for silence in hour.silences { _ = pool.add(silence) }
        deadline = pool.deadline(of: table.expected)
        let start = UnixSecond(containing: hour.start)
        let places = Dictionary(
            tracks.indices.map { (tracks[$0].key, $0) }, uniquingKeysWith: { first, _ in first })
        for stored in hour.beacons {
            guard let index = places[stored.tag] else { continue }
            let samples = stored.samples.compactMap { sample in
                own[sample.gateway].map {
                    InventoryHour.Sample(
                        gateway: $0, level: sample.level, reports: sample.reports)
                }
            }
            let beacon = InventoryHour.Beacon(
                tag: stored.tag, last: stored.last, samples: samples,
                millivolts: stored.millivolts, change: stored.change)
            tracks[index].restore(beacon, known: listened, start: start)
            let mine = InventoryHour(
                start: hour.start, gateways: gateways, known: listened, exposure: 0, silences: [],
                beacons: [])
            let levels = mine.levels(beacon, start.hour)
            if start.hour >= table.entries[index].learnsFrom {
                tracks[index].levels.restore(levels, beacon.change)
            }
        }
    }

    /// Takes over from an earlier run that a beacon was missing.
    mutating func restoreMissing(_ item: String, since time: UnixTime) {
        guard let index = table.entries.firstIndex(where: { $0.item == item }) else { return }
        tracks[index].restoreMissing(
            since: UnixSecond(containing: time), silence: Int32(clamping: deadline))
    }
}

/// A beacon in an hour.
struct JudgedBeacon {
    let place: Int
    let index: Int
    let hour: LevelHistory.Hour
    let deviations: [LevelHistory.Deviation]

    private static let fewest = 5

    /// What all beacons of a gateway have in common, such as a new antenna: the median of their differences.
    static func common(_ judged: [JudgedBeacon], gateways: Int) -> [Double] {
        var differences: [[Double]] = Array(repeating: [], count: gateways)
        for one in judged {
            for deviation in one.deviations where deviation.isHeard {
                differences[deviation.gateway].append(deviation.difference)
            }
        }
        return differences.map { $0.count < fewest ? 0 : Median.of($0) ?? 0 }
    }
}

extension InventoryHour {
    /// A gateway that listened for half an hour is known.
    private static let enough = 1800

    func levels(_ beacon: Beacon, _ number: Int) -> LevelHistory.Hour {
        LevelHistory.Hour(
            number: number, isKnown: known.map { $0 >= Self.enough },
            samples: beacon.samples.filter { known[$0.gateway] >= Self.enough },
            rate: beacon.samples.reduce(0) { sum, sample in
                let seconds = known[sample.gateway]
                return seconds > 0 ? sum + Double(sample.reports) / Double(seconds) : sum
            })
    }
}

extension BeaconEvidence {
    init(_ trend: BatteryHistory.Trend) {
        self.init()
        millivolts = trend.millivolts
        millivoltsPerWeek = trend.slope.map { $0 * 7 }
        daysLeft = trend.daysLeft
    }
}
