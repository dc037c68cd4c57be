import Beacons
import HCI
import Primitives

@testable import VirtualRadio

/// Stations that share the air, on one thread and without waiting.
struct StationGroup {
    /// An advertising report that a host received.
    struct ReceivedReport {
        let report: AdvertisingReport
        let data: [UInt8]
        let identity: BeaconIdentity?
    }

    private(set) var stations: [Station] = []
    private(set) var air = Air()
    private(set) var now = Instant(microseconds: 0)
    /// The reports that the hosts received, by station.
    private(set) var heard: [[ReceivedReport]]

    static let second: Duration = .seconds(1)
    private static let tick: Duration = .milliseconds(10)

    /// One station for each family, `metres` apart from the first, without visitors, loss and
    /// fading.
    init(
        _ families: [CommandFamily], at metres: [Double],
        change: (inout Scenario) -> Void = { _ in }
    ) throws {
        var scenario = Scenario(uuid: organisation)
        scenario.gateways = metres.enumerated().map {
            Scenario.Gateway(id: "gateway-\($0)", place: Point(x: $1, y: 0))
        }
        change(&scenario)
        heard = families.map { _ in [] }
        for (index, family) in families.enumerated() {
            let configuration = SimulatedController.Configuration(
                family: family, address: 0x0200_0000_0001 + UInt64(index))
            stations.append(
                try Station(
                    scenario, gateway: "gateway-\(index)", configuration: configuration,
                    start: .seconds(0), worldTime: .seconds(1_780_000_000)))
        }
    }

    /// Sends commands from the host of a station.
    mutating func send(_ commands: [HCICommand], to index: Int) throws {
        stations[index].air = air
        for command in commands { stations[index].receive(command.packet, at: now) }
        try share(index)
    }

    /// Advances the time in ticks, as a connection does.
    mutating func advance(by duration: Duration) throws {
        let end = now + duration
        while now < end {
            now = min(end, Instant(stretch: now.stretch(of: Self.tick) + 1, of: Self.tick))
            for index in stations.indices {
                stations[index].air = air
                stations[index].advance(to: now)
                try share(index)
            }
        }
    }

    /// The reports that a host received since the last call.
    mutating func takeReports(_ index: Int) -> [ReceivedReport] {
        defer { heard[index] = [] }
        return heard[index]
    }

    mutating func tally(_ index: Int) -> Tally { stations[index].tally() }

    private mutating func share(_ index: Int) throws {
        if let onAir = stations[index].takeChangeOnAir() {
            air.put(onAir, by: stations[index].gateway, at: now)
        }
        for (report, data) in try reports(in: stations[index].takeOutput()) {
            let beacon = try data.withBytes { try IBeacon(advertisingData: $0) }
            heard[index].append(
                ReceivedReport(report: report, data: data, identity: beacon?.identity))
        }
    }
}

extension StationGroup {
    /// The commands of a host that scans without a filter.
    static func scan(_ family: CommandFamily, reset: Bool = true) -> [HCICommand] {
        (reset ? [.reset] : [])
            + [
                .setEventMask, .leSetEventMask, .scanParameters(.continuous, family),
                .scanEnable(true, family),
            ]
    }

    /// The commands of a host that advertises an iBeacon, with an interval in units of 0.625 ms.
    static func advertise(
        minor: UInt16, interval: UInt16 = 0xa0, txPower: Int8? = nil, _ family: CommandFamily
    ) -> [HCICommand] {
        [
            .advertisingEnable(false, family),
            .advertisingParameters(interval: interval, txPower: txPower, family),
            .advertisingData(beacon(minor).advertisingData, family),
            .advertisingEnable(true, family),
        ]
    }

    static func beacon(_ minor: UInt16) -> IBeacon {
        IBeacon(identity: identity(minor), measuredPower: -59)
    }

    static func identity(_ minor: UInt16) -> BeaconIdentity {
        BeaconIdentity(uuid: organisation, major: 42, minor: minor)
    }
}
