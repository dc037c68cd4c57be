import Beacons
import Contract
import Inventory
import Primitives
import Sightings
import Testing

@Suite struct RegistryComparisonTests {
    private static let uuid = ProximityUUID(high: 0xe2c5_6db5_dffb_48d2, low: 0xb060_d0f5_a710_96e0)

    private static func identity(_ minor: UInt16) -> BeaconIdentity {
        BeaconIdentity(uuid: uuid, major: 42, minor: minor)
    }

    private static func message(
        _ seq: UInt64, of gateway: String = "entry", state: RadioState = .hearing,
        _ beacons: [(BeaconIdentity, count: Int)]
    ) -> SightingsMessage {
        let start = UnixTime(milliseconds: 1_780_000_000_000 + Int64(seq) * 1000)
        return SightingsMessage(
            site: "s", gateway: gateway, session: gateway, seq: seq, windowStart: start,
            windowEnd: start + .seconds(1), clock: .synced, radio: nil, state: state,
            sightings: beacons.map {
                SightingMessage(
                    identity: $0.0, measuredPower: -59, count: $0.count, signal: nil, firstSeen: 0,
                    lastSeen: 900, senders: 1)
            })
    }

    private static func compare(
        _ rows: String, _ messages: [SightingsMessage]
    ) -> RegistryComparison {
        let registry = Registry(
            parsing: Array(
                ("uuid,major,minor,kind\n"
                    + rows.split(separator: " ").map { "\(uuid),42,\($0)\n" }.joined()).utf8))
        var heard = HeardBeacons()
        for message in messages { heard.take(message, from: "s/\(message.gateway)") }
        return RegistryComparison(registry, heard, on: "2026-05-28")
    }

    private static func states(_ comparison: RegistryComparison) -> [String] {
        comparison.rows.map { "\($0.identity.minor) \($0.state)" }
    }

    @Test("silent beacons are missing by their kind, and nobody expects visitors")
    func missing() {
        let comparison = Self.compare(
            "1,fixed 2,gateway 3,asset 4,staff 5,visitor 6,fixed 100-200,staff",
            [Self.message(0, [(Self.identity(6), 1), (Self.identity(150), 1)])])
        #expect(
            Self.states(comparison)
                == ["1 missing", "2 missing", "3 missing", "4 absent", "6 heard"])
        #expect(comparison.staff == 1 && comparison.visitors == 0)
    }

    @Test("an unregistered beacon has three reports in two windows")
    func unregistered() {
        let own = Self.identity(9)
        for (messages, isFound) in [
            ([Self.message(0, [(own, 9)])], false),
            ([Self.message(0, [(own, 1)]), Self.message(1, [(own, 1)])], false),
            ([Self.message(0, [(own, 1)]), Self.message(1, [(own, 2)])], true),
            // The broker delivers a message again.
            ([Self.message(0, [(own, 9)]), Self.message(0, [(own, 9)])], false),
            ([Self.message(0, [(own, 1)]), Self.message(0, of: "till", [(own, 2)])], true),
        ] {
            let comparison = Self.compare("1,fixed", messages)
            #expect(Self.states(comparison) == ["1 missing"] + (isFound ? ["9 unregistered"] : []))
        }
    }

    @Test("visitors and foreign beacons are only counted")
    func counted() {
        let foreign = BeaconIdentity(uuid: ProximityUUID(high: 1, low: 1), major: 42, minor: 1)
        let all = [Self.identity(5), Self.identity(6), foreign].map { ($0, count: 5) }
        let comparison = Self.compare(
            "5-9,visitor", [Self.message(0, all), Self.message(1, all)])
        #expect(comparison.rows.isEmpty && comparison.visitors == 2 && comparison.foreign == 1)
    }

    @Test("a beacon of several formats is one, as the louder one tells")
    func formats() throws {
        let comparison = Self.compare(
            "1,gateway",
            [
                Self.message(
                    0,
                    BeaconIdentity.Format.allCases.map {
                        (Self.identity(1).translated(to: $0), count: Int($0.rawValue) + 3)
                    })
            ])
        #expect(Self.states(comparison) == ["1 heard"] && comparison.foreign == 0)
        #expect(comparison.rows.first?.heard?.reports == 5)
    }

    @Test("a gateway that never listens is named")
    func deaf() {
        var heard = HeardBeacons()
        for (gateway, state) in [("a", RadioState.deaf), ("b", .hearing), ("b", .deaf)] {
            heard.take(
                Self.message(UInt64(heard.gateways.count), of: gateway, state: state, []),
                from: gateway)
        }
        #expect(heard.deaf == ["a"])
    }
}
