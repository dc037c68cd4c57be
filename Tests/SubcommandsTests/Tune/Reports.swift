import Contract
import JSON

@testable import Subcommands

/// Sample reports of gateways.
enum Reports {
    static func fault(
        _ layer: Topics.Layer?, _ version: Int64?, _ path: String = "/advertise/major",
        _ code: Fault.Code = .outOfRange, _ message: String = "major is no good"
    ) -> LayerFault {
        LayerFault(
            layer: layer, version: version,
            fault: Fault(JSONPointer(parsing: path), code, message))
    }

    static func message(
        fleet: Int64? = nil, site: Int64? = nil, gateway: Int64? = nil,
        _ status: ReportedMessage.Status = .applied, _ errors: [LayerFault] = [],
        digests: LayerDigests = LayerDigests(), since: LayerTimes = LayerTimes(),
        isAdvertising: Bool = true,
        isPersisted: Bool = true, session: String = "a",
        advertise: [JSON.Member] = [.init("enabled", .bool(true))]
    ) -> ReportedMessage {
        ReportedMessage(
            session: session,
            versions: LayerVersions(fleet: fleet, site: site, gateway: gateway), digests: digests,
            since: since,
            status: status, errors: errors,
            effective: .object([.init("advertise", .object(advertise))]),
            radio: .init(advertising: isAdvertising), isPersisted: isPersisted)
    }
}
