import Contract
import JSON
import Primitives
import Sightings

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

/// What a reader knows of a gateway. `status`, `watch` and the server decide by it, so that they agree.
package struct GatewayEvidence {
    package var status: StatusMessage.State?
    /// Whether a window of the present session has arrived.
    package var hasWindows = false
    /// Whether the radio receives anything; `nil` if it is unknown.
    package var isHearing: Bool?
    package var clock: ClockState?
    /// A clock that is not set is no fault of this gateway.
    package var acceptsUnsyncedClock = false
    package var configuration: ReportedMessage.Status?
    /// No message has arrived for longer than the reader expects.
    package var isSilent = false
    /// Conditions that the reader decides itself: `backlog`, `pending`, `behind`, `losing`, `expiring`.
    package var others: Set<GatewayCondition> = []

    package init() {}

    private var isUnsynced: Bool { clock == .unsynced && !acceptsUnsyncedClock }

    /// The most severe condition.
    package var condition: GatewayCondition {
        GatewayCondition.allCases.first(where: holds) ?? .online
    }

    /// Whether a condition holds, also behind a more severe one.
    package func holds(_ condition: GatewayCondition) -> Bool {
        switch condition {
        case .offline: status == .offline
        case .unknown: status == nil && !hasWindows
        case .deaf: isHearing == false
        // Before the first window, messages wait for the clock.
        case .silent: isSilent && (hasWindows || !isUnsynced)
        case .degraded: status == .degraded
        case .refused: configuration == .refused
        case .rejected: configuration == .rejected
        case .unsynced: isUnsynced
        case .backlog, .pending, .behind, .losing, .expiring: others.contains(condition)
        case .online: true
        }
    }
}
