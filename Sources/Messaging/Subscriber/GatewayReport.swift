import Contract
import JSON
import Primitives

/// The parts of a gateway's `config/reported` that commands need. A fleet has thousands of them, so they are small.
package struct GatewayReport: Equatable {
    package let session: String
    /// The versions in force.
    package let versions: LayerVersions
    /// The digests of the documents in force.
    package let digests: LayerDigests
    /// Since when the documents are in force, by the gateway's clock.
    package let since: LayerTimes
    package let status: ReportedMessage.Status
    /// The first faults of each document.
    package let faults: [LayerFault]
    /// The highest version of each layer that is in force or has faults.
    package let highest: LayerVersions
    /// Whether the controller advertises the identity in force.
    package let isAdvertising: Bool
    /// Whether an identity is in force that the controller does not advertise.
    package let isOffAir: Bool
    /// The missing keys of the identity: `uuid`, `major`, `minor`.
    package let missing: [String]
    package let isPersisted: Bool

    private static let mostFaults = 32
    private static let mostFaultsPerDocument = 4
    private static let longestMessage = 300

    package init(_ message: ReportedMessage) {
        session = String(message.session.prefix(64))
        versions = message.versions
        digests = message.digests
        since = message.since
        status = message.status
        isPersisted = message.isPersisted
        isAdvertising = message.radio.advertising
        let advertise = message.effective["advertise"]
        isOffAir = !message.radio.advertising && advertise?["enabled"] == .bool(true)
        missing = ["uuid", "major", "minor"].filter { advertise?[$0] == nil }
        var highest = message.versions
        var kept: [LayerFault] = []
        for fault in message.errors {
            if let layer = fault.layer, let version = fault.version {
                highest[layer] = max(highest[layer] ?? 0, version)
            }
            let siblings = kept.count { $0.layer == fault.layer && $0.version == fault.version }
            if kept.count < Self.mostFaults, siblings < Self.mostFaultsPerDocument {
                kept.append(Self.shortened(fault))
            }
        }
        faults = kept
        self.highest = highest
    }

    private static func shortened(_ error: LayerFault) -> LayerFault {
        let fault = error.fault
        let pointer = fault.pointer.description.printable(limit: longestMessage)
        return LayerFault(
            layer: error.layer, version: error.version,
            fault: Fault(
                JSONPointer(parsing: pointer), fault.code,
                fault.message.printable(limit: longestMessage)))
    }
}
