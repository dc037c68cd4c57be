import Beacons
import Configuration
import Contract
import JSON
import Results

/// What a gateway reports of its tuning: the beacon that it is itself, and the layers in force.
struct GatewayTuning {
    private let versions: LayerVersions
    private let radio: ReportedMessage.Radio
    /// What the controller advertises; `nil` for nothing.
    private let beacon: BeaconIdentity?

    init(_ message: ReportedMessage) {
        versions = message.versions
        radio = message.radio
        beacon = radio.advertising ? message.advertised : nil
    }

    static let members: [ResultMember<GatewayTuning>] =
        [
            .text("beacon", "UUID/MAJOR/MINOR; null while it advertises none.") {
                $0.beacon.map { "\($0)" }
            }.nullable,
            .json(
                "intervalMs", "Between two advertisements.",
                as: .schema([
                    .init("type", ["number", "null"]), .init("exclusiveMinimum", 0),
                ])
            ) { $0.radio.intervalMs.map { .number($0) } }.nullable,
            .integer(
                "txPowerDbm", "Null if the controller does not report it.", atLeast: nil
            ) { $0.radio.txPowerDbm }.nullable,
        ]
        + Topics.Layer.allCases.map { layer in
            .integer(layer.rawValue, atLeast: 1) { $0.versions[layer] }.nullable
        }
}

extension ReportedMessage {
    /// The beacon that the gateway advertises by the settings in force; `nil` without one.
    var advertised: BeaconIdentity? {
        guard let advertise = effective["advertise"] else { return nil }
        let settings = try? ObjectReader.decode(advertise, unknownKeys: .areIgnored) {
            AdvertiseSettings(from: &$0)
        }
        return settings?.beacon?.identity
    }
}
