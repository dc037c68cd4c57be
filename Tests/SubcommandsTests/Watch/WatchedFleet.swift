import Contract
import JSON
import MessageSamples
import Posix
import Primitives
import Sightings
import Subscriber

@testable import Subcommands

/// Two hundred gateways, of which five have problems, and beacons that random RSSI values belong to.
struct WatchedFleet {
    static let gateways = (0..<200).map {
        GatewayName(site: "store-\(100 + $0 / 4)", id: "gateway-\($0 % 4 + 1)")
    }
    static let offline = [gateways[17], gateways[90], gateways[199]]
    static let deaf = gateways[55]
    static let refused = gateways[120]
    static var problems: [GatewayName] { offline + [deaf, refused] }

    private(set) var model = WatchModel()
    private(set) var second: Int64 = -1
    private var random: SplitMix64
    private let minors: [UInt16]

    init(beacons: Int, seed: UInt64) {
        random = SplitMix64(seed: seed)
        minors = (0..<beacons).map { UInt16($0) }
        for name in Self.gateways { model.hear(Samples.status(.online), of: name) }
        let message = ReportedMessage(
            session: "a", versions: LayerVersions(fleet: 3), status: .refused,
            errors: [
                LayerFault(
                    layer: .gateway, version: 7,
                    fault: Fault(
                        JSONPointer(parsing: "/advertise"), .controllerRefused,
                        "the controller answered 0x12"))
            ], effective: .object([]), radio: .init(), isPersisted: true)
        _ = model.on(message, of: Self.refused, at: Samples.at(0))
    }

    /// The moment after the present second.
    var now: Instant { Samples.at(Double(second + 1) + 0.2) }

    /// A second: each beacon is heard by one gateway, with a random RSSI, unless it is in `absent`.
    mutating func tick(absent: Set<UInt16> = []) {
        second += 1
        for (index, name) in Self.gateways.enumerated() where !Self.offline.contains(name) {
            let sightings = minors.filter {
                Int($0) % Self.gateways.count == index && !absent.contains($0)
            }.map { minor in
                let max = Int8(-90 + Int64(random.next() % 45))
                return Samples.sighting(minor, mean: Double(max) - 4, max: max)
            }
            let isDeaf = name == Self.deaf
            model.hear(
                Samples.batch(
                    UInt64(second), second: second, reports: isDeaf ? 0 : 412,
                    state: isDeaf ? .deaf : .hearing, isDeaf ? [] : sightings), of: name)
        }
        if second == 0 {
            for name in Self.offline { model.hear(Samples.status(.offline), of: name, at: 0.5) }
        }
        model.pass(to: now)
    }

    /// The screen, without the times that pass.
    func lines(
        _ columns: Int, _ rows: Int, view: WatchView = WatchView(), colours: Bool = false,
        unicode: Bool = true
    ) -> [String] {
        WatchRenderer(
            size: Terminal.Size(columns: columns, rows: rows), colours: colours, unicode: unicode
        ).lines(model, view, WatchRenderer.Heading(broker: "mqtt://localhost:1883"), at: now)
    }
}
