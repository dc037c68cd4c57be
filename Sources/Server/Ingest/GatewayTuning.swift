import Beacons
import Configuration
import Contract
import JSON

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

    var json: JSON {
        let layers = Topics.Layer.allCases.map {
            JSON.Member($0.rawValue, versions[$0].map { .integer($0) } ?? .null)
        }
        return .object(
            [
                .init("beacon", beacon.map { .string("\($0)") } ?? .null),
                .init("intervalMs", radio.intervalMs.map { .number($0) } ?? .null),
                .init("txPowerDbm", radio.txPowerDbm.map { .integer(Int64($0)) } ?? .null),
            ] + layers)
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
