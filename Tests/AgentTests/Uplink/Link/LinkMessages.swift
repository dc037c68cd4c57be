import Beacons
import Contract
import HCI
import Outbox
import Posix
import Primitives
import Prometheus
import Radio
import Sightings
import TestVectors

@testable import Agent

/// Messages of every kind between the radio's process and the uplink's, with random contents.
enum LinkMessages {
    static func batch(_ seq: UInt64, _ random: inout SeededGenerator) -> Batch {
        let start = Instant(microseconds: Int64(seq) * 1_000_000)
        let sightings = (0..<UInt16.random(in: 0...4, using: &random)).map { minor in
            Sighting(
                of: Advertisements.beacon(minor),
                rssi: RSSI(dBm: Int8.random(in: -100 ... -30, using: &random)), at: start)
        }
        return Batch(
            seq: seq, interval: Interval(start: start, end: start + .seconds(1)),
            state: random.oneIn(5) ? .deaf : .hearing, radio: RadioCounts(),
            sightings: sightings[...])
    }

    static func stored(_ seq: UInt64, _ random: inout SeededGenerator) -> StoredBatch {
        StoredBatch(
            origin: Origin(session: "s", boot: "b", place: "p"), batch: batch(seq, &random),
            stamp: Stamp(offset: .microseconds(7), clock: random.oneIn(2) ? .synced : .unsynced))
    }

    static func messages(_ random: inout SeededGenerator) -> [UplinkMessage] {
        var health = RadioHealth()
        health.counts.reports = Int.random(in: 0...1_000_000, using: &random)
        health.lastReport = random.oneIn(2) ? Instant(microseconds: 77) : nil
        health.steps.resets = 4
        health.isHearing = true
        var usage = ProcessUsage()
        usage.anonymousBytes = Int64.random(in: 0...(1 << 40), using: &random)
        let states = [controller(&random), controller(&random)]
        let refusal = AdvertisingRefusal(
            opcode: random.oneIn(2) ? Opcode(rawValue: 0x2006) : nil,
            status: random.oneIn(2) ? .invalidParameters : nil,
            concernsInterval: random.oneIn(2), sentence: "the controller „refuses“ it")
        return [
            .batch(
                stored(UInt64.random(in: 0...(1 << 60), using: &random) >> 20, &random),
                isDecided: random.oneIn(2)),
            .radio(health), .controller(states[0]), .usage(usage), .reload, .stop,
            .answer(ApplyResult(id: 1 << 40, outcome: .applied), states[1]),
            .answer(ApplyResult(id: 2, outcome: .postponed), states[0]),
            .answer(ApplyResult(id: .max, outcome: .refused(refusal)), states[1]),
        ]
    }

    private static func controller(_ random: inout SeededGenerator) -> ControllerState {
        var state = ControllerState()
        state.isReady = random.oneIn(2)
        state.address = random.oneIn(2) ? DeviceAddress(address: 0x11_2233_4455, type: 1) : nil
        state.family = [.legacy, .extended, nil].randomElement(using: &random) ?? nil
        state.failure = random.oneIn(2) ? "no adapter" : nil
        let advertising = AdvertisingInterval(
            milliseconds: Int.random(in: 20...10_240, using: &random)
        ).map {
            Advertising(
                beacon: IBeacon(identity: Advertisements.identity(9), measuredPower: -59),
                formats: random.oneIn(2) ? .iBeacon : [.altBeacon, .eddystoneUID],
                interval: $0,
                txPowerDbm: random.oneIn(2) ? -12 : nil)
        }
        state.advertising = AdvertisingState(
            advertising: random.oneIn(2) ? advertising : nil, txPowerDbm: random.oneIn(2) ? 4 : nil)
        return state
    }

    static func account(_ random: inout SeededGenerator) -> UplinkAccount {
        var account = UplinkAccount()
        account.received = UInt64.random(in: 0 ... .max, using: &random)
        account.connections = 3
        account.takeovers = 2
        account.sightings = SightingTally(total: 1 << 50, identities: random.oneIn(2) ? 12 : nil)
        account.outbox.nextSeq = 100
        account.outbox.held = [3...3, 7...12]
        account.outbox.lost = Loss(batches: 2, fromSeq: 4, toSeq: 6, reason: .mailboxFull)
        account.outbox.inMemory =
            random.oneIn(2) ? Loss(batches: 1, fromSeq: 1, toSeq: 1, reason: .damaged) : nil
        return account
    }

    static func replies(_ random: inout SeededGenerator) throws -> [UplinkReply] {
        var settings = GatewaySettings()
        settings.report.window = .milliseconds(100 * Int64.random(in: 1...6000, using: &random))
        if random.oneIn(2) {
            settings.advertise = AdvertiseSettings(
                enabled: true, uuid: Advertisements.beacon(1).identity.uuid, major: 3, minor: 65535)
            settings.filter.uuids = [Advertisements.beacon(1).identity.uuid]
        }
        return [
            .order(ApplyRequest(id: 1 << 33, settings: settings)), .account(account(&random)),
            .decided(seq: 9, stored(9, &random).encoded), .reloaded(Array("{}".utf8)),
            .reloaded(nil),
            .layers([]), .service([.ready, .reloading, .status("hearing; connected")]),
        ]
    }

    static func start(_ random: inout SeededGenerator) -> UplinkStart {
        UplinkStart(
            session: Session(milliseconds: 1, random: (2, 3)), began: Instant(microseconds: 5),
            generation: 2,
            path: "/etc/sightline/sightlined.json", configuration: Array("{}".utf8),
            reloaded: random.oneIn(2) ? Array("[]".utf8) : nil,
            source: random.oneIn(2) ? "hci0" : nil, layers: [1, 2, 3], hasServiceManager: true,
            isReady: random.oneIn(2),
            account: random.oneIn(2) ? account(&random) : nil, batches: 17)
    }
}
