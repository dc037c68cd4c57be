import Beacons
import Primitives
import TestVectors
import Testing

@testable import Sightings

@Suite struct WindowsModelTests {
    private static let foreign = ProximityUUID(high: 1, low: 2)

    @Test(
        "random streams with retunes give the same windows as a simple model",
        arguments: UInt64(0)..<40)
    func agrees(block: UInt64) {
        for seed in block * 50..<(block + 1) * 50 {
            guard run(seed: seed) else { return }
        }
    }

    /// Runs one stream through both; `false` after a difference.
    private func run(seed: UInt64) -> Bool {
        var generator = SeededGenerator(seed: seed)
        let capacity = generator.oneIn(3) ? Int.random(in: 0...5, using: &generator) : 100_000
        let first = settings(maxIdentities: capacity, &generator)
        var time = Int64.random(in: -5_000_000_000...5_000_000_000, using: &generator)
        let alignment = Int64.random(in: -3_000_000...1_800_000_000_000_000, using: &generator)
        let aligned = Bool.random(using: &generator)
        var model = WindowsModel(
            first, alignment: alignment, from: time, aligned: aligned, state: .hearing)
        var windows = Windows(
            first, from: Instant(microseconds: time), alignment: .microseconds(alignment),
            aligned: aligned,
            seed: HashSeed(seed, ~seed), crowd: generator.oneIn(2) ? 0 : 100_000)
        var closed: [Window] = []
        func pass(to time: Int64) {
            while let window = windows.close(upTo: Instant(microseconds: time)) {
                closed.append(window)
            }
        }
        for _ in 0..<Int.random(in: 0...120, using: &generator) {
            time += step(model.settings.width.microseconds, &generator)
            let instant = Instant(microseconds: time)
            switch Int.random(in: 0..<24, using: &generator) {
            case 0:
                model.pass(to: time)
                pass(to: time)
            case 1:
                model.drop(3)
                windows.countDropped(3)
            case 2:
                let state =
                    [RadioState.hearing, .deaf, nil].randomElement(using: &generator) ?? nil
                let step =
                    generator.oneIn(2) ? Int64.random(in: -9_000_000...9, using: &generator) : nil
                let settings =
                    generator.oneIn(2)
                    ? settings(maxIdentities: Int.random(in: 0...9, using: &generator), &generator)
                    : nil
                model.turn(state, step, settings, at: time)
                pass(to: time)
                let window = windows.turn(
                    state, alignment: step.map { .microseconds($0) }, settings: settings,
                    at: instant)
                closed += window.map { [$0] } ?? []
            default:
                let report = report(&generator)
                model.count(report, at: time)
                pass(to: time)
                windows.count(report, at: instant)
            }
        }
        let end =
            generator.oneIn(2) ? nil : time + step(model.settings.width.microseconds, &generator)
        model.finish(at: end)
        if let end { pass(to: end) }
        closed += windows.finish(at: end.map(Instant.init)).map { [$0] } ?? []
        return compare(closed, model.closed, seed)
    }

    private func settings(
        maxIdentities: Int, _ generator: inout SeededGenerator
    ) -> Windows.Settings {
        let own = OwnBeacon(
            address: generator.oneIn(3) ? nil : address(&generator),
            identities: (0..<Int.random(in: 0...2, using: &generator)).map { _ in
                identity(&generator)
            })
        return Windows.Settings(
            width: .microseconds(
                [1000, 99_999, 1_000_000, 60_000_000].randomElement(using: &generator) ?? 1000),
            maxIdentities: maxIdentities,
            filter: BeaconFilter(
                uuids: generator.oneIn(2) ? [] : [Advertisements.uuid],
                majors: generator.oneIn(3) ? [1] : []),
            own: generator.oneIn(3) ? nil : own)
    }

    private func identity(_ generator: inout SeededGenerator) -> BeaconIdentity {
        BeaconIdentity(
            uuid: generator.oneIn(5) ? Self.foreign : Advertisements.uuid,
            major: generator.oneIn(6) ? 2 : 1,
            minor: UInt16.random(in: 0..<8, using: &generator))
    }

    private func address(_ generator: inout SeededGenerator) -> DeviceAddress {
        DeviceAddress(address: UInt64.random(in: 0..<3, using: &generator), type: 1)
    }

    /// Mostly a step forward, sometimes none, rarely backward or far.
    private func step(_ width: Int64, _ generator: inout SeededGenerator) -> Int64 {
        switch Int.random(in: 0..<30, using: &generator) {
        case 0: -Int64.random(in: 0...width * 3, using: &generator)
        case 1: width * 7
        case 2 where width >= 60_000_000:
            Windows.longestGap.microseconds + Int64.random(in: -2...2, using: &generator) * width
        case 3...8: 0
        default: Int64.random(in: 0...width / 3, using: &generator)
        }
    }

    private func report(_ generator: inout SeededGenerator) -> Windows.Report {
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: return .other
        case 1: return .malformed
        default:
            let rssi = generator.oneIn(8) ? Int8.random(in: 15...127, using: &generator) : -60
            return .beacon(
                BeaconFrame(
                    identity: identity(&generator),
                    power: Int8.random(in: -60...(-58), using: &generator)),
                rssi: RSSI(dBm: rssi), sender: address(&generator))
        }
    }

    private func compare(
        _ windows: [Window], _ expected: [WindowsModel.Expected], _ seed: UInt64
    ) -> Bool {
        guard windows.count == expected.count else {
            Issue.record("seed \(seed): \(windows.count) windows, should be \(expected.count)")
            return false
        }
        for (window, expected) in zip(windows, expected) {
            let interval = Interval(
                start: Instant(microseconds: expected.start),
                end: Instant(microseconds: expected.end))
            guard window.interval == interval, window.state == expected.state else {
                Issue.record("seed \(seed): \(window.interval), should be \(interval)")
                return false
            }
            let difference = Contents(expected).difference(from: window)
            if let difference {
                Issue.record("seed \(seed), window \(expected.start): \(difference)")
                return false
            }
        }
        return true
    }
}

/// The expected contents of a window.
private struct Contents {
    private var counts = RadioCounts()
    private var order: [BeaconIdentity] = []
    private var sightings: [BeaconIdentity: Sighting] = [:]
    private var senders: [BeaconIdentity: Set<DeviceAddress>] = [:]
    private var latestSenders: [BeaconIdentity: DeviceAddress] = [:]

    private let own: OwnBeacon?

    init(_ window: WindowsModel.Expected) {
        let uuids = window.settings.filter.uuids
        let majors = window.settings.filter.majors
        own = window.settings.own
        let ownIdentities = (own?.identities ?? []) + window.formerIdentities
        counts.reports = window.reports.count
        counts.dropped = window.dropped
        for report in window.reports {
            switch report.kind {
            case .other: break
            case .malformed: counts.malformed += 1
            case .beacon(let beacon, let rssi, let sender):
                let identity = beacon.identity
                if let address = own?.address, address == sender, ownIdentities.contains(identity) {
                    continue
                } else if rssi.dBm > 20 && rssi.dBm < 127 {
                    counts.implausible += 1
                } else if !uuids.isEmpty && !uuids.contains(identity.uuid)
                    || !majors.isEmpty && !majors.contains(identity.major)
                {
                    counts.filtered += 1
                } else if sightings[identity] == nil
                    && sightings.count >= window.settings.maxIdentities
                {
                    counts.untracked += 1
                } else {
                    add(beacon, rssi, sender, Instant(microseconds: report.instant))
                }
            }
        }
        let most = Dictionary(grouping: latestSenders.values) { $0 }.values.map(\.count).max() ?? 0
        if most > 16 { counts.identitiesPerSender = most }
    }

    private mutating func add(
        _ beacon: BeaconFrame, _ rssi: RSSI, _ sender: DeviceAddress, _ instant: Instant
    ) {
        counts.beacons += 1
        senders[beacon.identity, default: []].insert(sender)
        latestSenders[beacon.identity] = sender
        if sightings[beacon.identity] == nil {
            order.append(beacon.identity)
            sightings[beacon.identity] = Sighting(of: beacon, rssi: rssi, at: instant)
        } else {
            sightings[beacon.identity]?.add(
                rssi, measuredPower: beacon.power, at: instant)
        }
    }

    func difference(from window: Window) -> String? {
        var radio = window.radio
        let unresolved = radio.unresolvedSenders
        radio.unresolvedSenders = 0
        if radio != counts { return "\(radio), should be \(counts)" }
        if window.sightings.map(\.identity) != order { return "identities differ" }
        for sighting in window.sightings {
            guard var expected = sightings[sighting.identity] else { return "unexpected sighting" }
            let exact = senders[sighting.identity]?.count ?? 0
            if unresolved == 0, sighting.senders != exact {
                return "\(sighting.senders) senders, should be \(exact)"
            }
            if sighting.senders > exact { return "more senders than there were" }
            expected.senders = sighting.senders
            expected.isEcho = own?.identities.contains(sighting.identity) ?? false
            if sighting != expected { return "\(sighting), should be \(expected)" }
        }
        return nil
    }
}
