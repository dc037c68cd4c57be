import Beacons
import Primitives
import TestVectors
import Testing

@testable import Sightings

@Suite("Floods of identities") struct FloodTests {
    private static let second: Int64 = 1_000_000

    /// One window from each list of minor numbers, each from a sender of its own, or all from one.
    private static func windows(
        _ minors: [[UInt16]], limit: Int = 0, sender: UInt64? = nil
    ) -> [Window] {
        var windows = WindowsTests.windows(from: 0, Windows.Settings(maxSightings: limit))
        var closed: [Window] = []
        for (index, minors) in minors.enumerated() {
            let start = Int64(index) * second
            for minor in minors {
                windows.count(
                    WindowsTests.beacon(minor, sender: sender ?? UInt64(minor)),
                    at: WindowsTests.at(start))
            }
            if let window = windows.close(upTo: WindowsTests.at(start + second)) {
                closed.append(window)
            }
        }
        return closed
    }

    @Test(
        "a window names the identities of one sender above 16",
        arguments: [(0, 0), (1, 0), (16, 0), (17, 17), (500, 500), (30_000, 30_000)]
            as [(UInt16, Int)])
    func identitiesPerSender(identities: UInt16, named: Int) {
        let windows = Self.windows([Array(0..<identities), []], sender: 7)
        #expect(windows.map(\.radio.identitiesPerSender) == [named, 0])
    }

    @Test("identities of as many senders are usual", arguments: [17, 500, 30_000] as [UInt16])
    func manySenders(identities: UInt16) {
        let windows = Self.windows([Array(0..<identities)])
        #expect(windows.map(\.radio.identitiesPerSender) == [0])
    }

    @Test("the busiest of many senders is named", arguments: 0..<20 as Range<UInt64>)
    func busiestSender(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let addresses = UInt64.random(in: 1...200, using: &generator)
        let senders = (0..<3000).map { _ in
            DeviceAddress(address: UInt64.random(in: 0..<addresses, using: &generator), type: 1)
        }
        let most = Dictionary(grouping: senders) { $0 }.values.map(\.count).max() ?? 0
        let found = BusiestSender.identities(of: senders, seed: HashSeed(seed, ~seed))
        #expect(found == (most > 16 ? most : 0))
    }

    @Test("merged windows keep the larger number")
    func merges() {
        var sum = RadioCounts()
        for identities in [20, 300, 0] {
            var counts = RadioCounts()
            counts.identitiesPerSender = identities
            sum += counts
        }
        #expect(sum.identitiesPerSender == 300)
    }

    @Test("beacons of earlier windows stay in the sightings of a flood")
    func prefersKnown() {
        let store = Array(0..<50 as Range<UInt16>)
        let flood = Array(1000..<3000 as Range<UInt16>)
        let windows = Self.windows([store, flood + store, store + flood], limit: 100)
        #expect(windows.map(\.sightings.count) == [50, 100, 100])
        for window in windows {
            #expect(Set(store).isSubset(of: window.sightings.map(\.identity.minor)))
        }
        // The order of arrival remains.
        #expect(windows[1].sightings.map(\.identity.minor) == Array(1000..<1050) + store)
        #expect(windows[2].sightings.map(\.identity.minor) == store + Array(1000..<1050))
    }

    @Test("reports beyond the limit count as untracked", arguments: [1, 99, 100, 101, 5000])
    func counts(limit: Int) {
        let minors = (0..<5).map { round in (0..<100).map { UInt16($0 + 40 * round) } }
        for window in Self.windows(minors.map { $0 + $0 }, limit: limit) {
            #expect(window.sightings.count == min(limit, 100))
            #expect(window.radio.beacons == window.sightings.reduce(0) { $0 + $1.count })
            #expect(window.radio.beacons + window.radio.untracked == 200)
            #expect(window.radio.reports == 200)
        }
    }

    @Test("a beacon is preferred for a minute after its latest sighting, and not after two")
    func forgets() {
        let flood = Array(1000..<1010 as Range<UInt16>)
        for (silence, isPreferred) in [(1, true), (58, true), (130, false)] {
            let pause = [[UInt16]](repeating: [2], count: silence)
            let windows = Self.windows([[1]] + pause + [flood + [1]], limit: 5)
            let last = windows.last?.sightings.map(\.identity.minor) ?? []
            #expect(last.contains(1) == isPreferred, "after \(silence) s")
        }
    }

    @Test(
        "the filter selects by UUID and by major number",
        arguments: [
            ([], [], true), ([1], [], true), ([2], [], false), ([], [42], true), ([], [7], false),
            ([], [7, 42], true), ([1], [42], true), ([1], [7], false), ([2], [42], false),
        ] as [([UInt64], [UInt16], Bool)])
    func filters(uuids: [UInt64], majors: [UInt16], isAdmitted: Bool) {
        let filter = BeaconFilter(
            formats: [.iBeacon, .altBeacon],
            uuids: uuids.map { ProximityUUID(high: 0, low: $0) }, majors: majors)
        let uuid = ProximityUUID(high: 0, low: 1)
        let identity = BeaconIdentity(uuid: uuid, major: 42, minor: 9)
        #expect(filter.admits(identity) == isAdmitted)
        // Its bytes have the places of a UUID and a major number.
        #expect(
            filter.admits(BeaconIdentity(.altBeacon, prefix: uuid, suffix: 42 << 16)) == isAdmitted)
        #expect(!filter.admits(BeaconIdentity(.eddystoneUID, prefix: uuid)))
    }

    @Test("with a list, the filter selects what a list of the format names")
    func formats() {
        func admits(
            _ filter: BeaconFilter, _ format: BeaconIdentity.Format, _ low: UInt64,
            major: UInt32 = 0
        ) -> Bool {
            let prefix = ProximityUUID(high: 5, low: low)
            return filter.admits(BeaconIdentity(format, prefix: prefix, suffix: major << 16))
        }
        let namespaces = [ProximityUUID(high: 5, low: 6 << 48)]
        let both = BeaconFilter(formats: .all, majors: [42], namespaces: namespaces)
        #expect(admits(both, .iBeacon, 1, major: 42) && !admits(both, .iBeacon, 1, major: 7))
        #expect(admits(both, .altBeacon, 1, major: 42) && !admits(both, .altBeacon, 1, major: 7))
        // The instance is no part of the namespace.
        #expect(admits(both, .eddystoneUID, 6 << 48 | 9))
        #expect(!admits(both, .eddystoneUID, 7 << 48 | 9))
        let one = BeaconFilter(formats: .all, namespaces: namespaces)
        #expect(admits(one, .eddystoneUID, 6 << 48) && !admits(one, .iBeacon, 6 << 48))
        #expect(!admits(one, .altBeacon, 6 << 48))
        #expect(!admits(BeaconFilter(formats: .altBeacon), .iBeacon, 1))
        #expect(admits(BeaconFilter(formats: .altBeacon), .altBeacon, 1))
    }
}
