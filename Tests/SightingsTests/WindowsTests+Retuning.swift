import Beacons
import TestVectors
import Testing

@testable import Sightings

/// Windows with settings or an own beacon that change.
extension WindowsTests {
    @Test("a retune closes the window early, and the next one ends at a boundary of its width")
    func retunes() {
        var windows = Self.windows(from: 0, alignment: 250_000)
        #expect(windows.deadline == Self.at(750_000))
        windows.count(Self.beacon(1), at: Self.at(10))
        let wide = Windows.Settings(width: .milliseconds(2000))
        let before = windows.turn(settings: wide, at: Self.at(400_000))
        #expect(before?.interval == Self.interval(0, 400_000))
        #expect(before?.sightings.count == 1)
        #expect(windows.deadline == Self.at(1_750_000))
        #expect(
            windows.turn(
                settings: Windows.Settings(width: .milliseconds(100)), at: Self.at(500_000))?
                .interval
                == Self.interval(400_000, 500_000))
        #expect(
            windows.close(upTo: Self.at(550_000))?.interval == Self.interval(500_000, 550_000))
        #expect(
            windows.close(upTo: Self.at(650_000))?.interval == Self.interval(550_000, 650_000))
        #expect(windows.turn(settings: wide, at: Self.at(650_000)) == nil, "nothing yet in it")
    }

    @Test("only the first window after changed settings or a clock step is marked")
    func firstAfterRetune() {
        var windows = Self.windows(from: 0)
        var marks: [Bool?] = []
        // These two turns return no window: the mark stays for the first returned one.
        marks.append(windows.turn(alignment: .microseconds(300_000), at: Self.at(0))?.isRetuned)
        marks.append(windows.turn(.deaf, at: Self.at(0))?.isRetuned)
        for second in 1..<4 {
            marks.append(windows.close(upTo: Self.at(Int64(second) * 1_000_000))?.isRetuned)
        }
        marks.append(windows.turn(.hearing, at: Self.at(3_100_000))?.isRetuned)
        marks.append(
            windows.turn(
                settings: Windows.Settings(width: .milliseconds(500)), at: Self.at(3_200_000))?
                .isRetuned)
        marks.append(windows.close(upTo: Self.at(4_000_000))?.isRetuned)
        marks.append(windows.finish()?.isRetuned)
        #expect(marks == [nil, nil, true, false, false, false, false, true, false])
    }

    @Test("reports from before a retune use the earlier filter")
    func retunesFilter() {
        var windows = Self.windows(from: 0)
        windows.count(Self.beacon(1), at: Self.at(1))
        let filter = Windows.Settings(filter: BeaconFilter(uuids: [ProximityUUID(high: 1, low: 1)]))
        let before = windows.turn(settings: filter, at: Self.at(2))
        windows.count(Self.beacon(1), at: Self.at(2))
        let after = windows.finish(at: Self.at(3))
        #expect(before?.radio.beacons == 1 && before?.radio.filtered == 0)
        #expect(after?.radio.beacons == 0 && after?.radio.filtered == 1)
    }

    @Test("a retune keeps the bound on identities")
    func keepsBound() {
        var windows = Self.windows(from: 0, Windows.Settings(maxIdentities: 1))
        let other = Windows.Settings(maxIdentities: 2)
        #expect(windows.isTuned(to: other))
        #expect(!windows.isTuned(to: Windows.Settings(width: .microseconds(1), maxIdentities: 1)))
        #expect(!windows.isTuned(to: Windows.Settings(own: OwnBeacon())))
        _ = windows.turn(settings: other, at: Self.at(1))
        #expect(windows.settings.maxIdentities == 1)
        for minor in 0..<UInt16(2) { windows.count(Self.beacon(minor), at: Self.at(1)) }
        #expect(windows.finish()?.radio.untracked == 1)
    }

    @Test(
        "the own iBeacon from the own address counts only as a report",
        arguments: [-60, 99, 127] as [Int8])
    func own(rssi: Int8) {
        let own = OwnBeacon(
            address: DeviceAddress(address: 9, type: 1),
            identities: [Advertisements.beacon(1).identity]
        )
        for uuids in [[], [ProximityUUID(high: 1, low: 1)]] as [Set<ProximityUUID>] {
            var windows = Self.windows(
                from: 0, Windows.Settings(filter: BeaconFilter(uuids: uuids), own: own))
            windows.count(Self.beacon(1, sender: 9, rssi: rssi), at: Self.at(1))
            windows.count(Self.beacon(1, sender: 9, rssi: rssi), at: Self.at(2))
            var counts = RadioCounts()
            counts.reports = 2
            #expect(
                windows.finish(at: Self.at(3_000))
                    == Window(interval: Self.interval(0, 3_000), radio: counts))
        }
    }

    @Test("another iBeacon from the own address is a neighbour with the same address")
    func sameAddress() throws {
        let address = DeviceAddress(address: 9, type: 1)
        let own = Advertisements.beacon(1).identity
        for identities in [[own], []] {
            var windows = Self.windows(
                from: 0, Windows.Settings(own: OwnBeacon(address: address, identities: identities)))
            windows.count(Self.beacon(2, sender: 9), at: Self.at(1))
            let window = try #require(windows.finish() as Window?)
            #expect(window.sightings.map(\.identity.minor) == [2])
            #expect(window.radio.beacons == 1)
        }
    }

    @Test("only the own identity from another sender is an echo")
    func echo() {
        let identity = Advertisements.beacon(2).identity
        let address = DeviceAddress(address: 9, type: 1)
        // Also with an unknown own address.
        for address in [address, nil] {
            var windows = Self.windows(
                from: 0, Windows.Settings(own: OwnBeacon(address: address, identities: [identity])))
            for minor in 1..<UInt16(4) { windows.count(Self.beacon(minor), at: Self.at(1)) }
            #expect(windows.finish()?.sightings.map(\.isEcho) == [false, true, false])
        }
        // Of several formats, each one.
        let both = [identity, Advertisements.beacon(3).identity]
        var several = Self.windows(
            from: 0, Windows.Settings(own: OwnBeacon(address: address, identities: both)))
        for minor in 1..<UInt16(4) {
            several.count(Self.beacon(minor), at: Self.at(1))
            several.count(Self.beacon(minor, sender: 9), at: Self.at(2))
        }
        let sightings = several.finish()?.sightings
        #expect(sightings?.map(\.isEcho) == [false, true, true])
        #expect(sightings?.map(\.count) == [2, 1, 1])
        // The address type is part of the address.
        var windows = Self.windows(
            from: 0, Windows.Settings(own: OwnBeacon(address: address, identities: [identity])))
        windows.count(
            .beacon(
                Advertisements.beacon(2), rssi: RSSI(dBm: -60),
                sender: DeviceAddress(address: 9, type: 0)), at: Self.at(1))
        #expect(windows.finish()?.sightings.map(\.isEcho) == [true])
    }

    @Test("an echo has the identity that was on the air when the window began")
    func echoAcrossRetune() {
        func own(_ minor: UInt16) -> Windows.Settings {
            Windows.Settings(
                own: OwnBeacon(
                    address: DeviceAddress(address: 9, type: 1),
                    identities: [Advertisements.beacon(minor).identity]))
        }
        var windows = Self.windows(from: 0, own(1))
        for minor in 1..<UInt16(3) { windows.count(Self.beacon(minor), at: Self.at(1)) }
        let before = windows.turn(settings: own(2), at: Self.at(2))
        for minor in 1..<UInt16(3) { windows.count(Self.beacon(minor), at: Self.at(2)) }
        // Still in the queue from before the retune.
        windows.count(Self.beacon(1, sender: 9), at: Self.at(2))
        let after = windows.finish()
        #expect(before?.sightings.map(\.isEcho) == [true, false])
        #expect(after?.sightings.map(\.isEcho) == [false, true])
        #expect(after?.sightings.map(\.count) == [1, 1])
    }
}
