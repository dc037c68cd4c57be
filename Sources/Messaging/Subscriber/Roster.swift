import Contract
import JSON
import Primitives

/// The known gateways: those with messages on the broker, and those that a command names.
package struct Roster {
    package struct Gateway {
        package fileprivate(set) var report: GatewayReport?
        /// The report is older than the first publication.
        package fileprivate(set) var isReportOld = false
        /// An earlier report had advertising.
        package fileprivate(set) var hasAdvertised = false
        /// Why the last report can't be read.
        package fileprivate(set) var fault: String?
        /// The retained status.
        package fileprivate(set) var status: StatusMessage?
        /// The latest health.
        package fileprivate(set) var health: Health?
        fileprivate var isNamed = false

        /// A will of an earlier session does not count.
        package var isOffline: Bool {
            guard let status, status.state == .offline else { return false }
            return report.map { $0.session == status.session } ?? true
        }

        /// It is online and reports that its radio does not work as configured.
        package var isDegraded: Bool { status?.state == .degraded }

        /// Whether the broker has a message of the gateway.
        package var isHeardOf: Bool {
            report != nil || status != nil || fault != nil || health != nil
        }

        fileprivate var isKnown: Bool { isNamed || isHeardOf }
    }

    package private(set) var gateways: [GatewayName: Gateway] = [:]
    /// Whether messages of further gateways were dropped.
    package private(set) var isFull = false

    /// The most gateways that are kept: above any fleet, a limit for untrusted brokers.
    package static let mostGateways = 20_000

    package init(named: [GatewayName] = []) {
        for name in named.prefix(Self.mostGateways) {
            gateways[name, default: Gateway()].isNamed = true
        }
    }

    /// Takes a gateway's message.
    package mutating func on(_ kind: Topics.Kind, of name: GatewayName, payload: [UInt8]) {
        guard gateways[name] != nil || gateways.count < Self.mostGateways else {
            isFull = true
            return
        }
        var gateway = gateways[name] ?? Gateway()
        switch kind {
        case .status: gateway.status = try? StatusMessage(decoding: payload)
        case .reported: gateway.take(report: payload)
        case .health: gateway.health = try? Health(decoding: payload)
        case .sightings, .trackers: return
        }
        gateways[name] = gateway.isKnown ? gateway : nil
    }

    /// A report exceeded the size limit.
    package mutating func onOversizedReport(of name: GatewayName, bytes: Int) {
        guard gateways[name] != nil || gateways.count < Self.mostGateways else { return }
        gateways[name, default: Gateway()].fault = "its report has \(bytes.grouped) bytes"
    }

    /// Marks all reports as older than the first publication.
    package mutating func age() {
        for name in gateways.keys { gateways[name]?.isReportOld = true }
    }
}

extension Roster.Gateway {
    fileprivate mutating func take(report payload: [UInt8]) {
        // The empty message removes a retained one.
        guard !payload.isEmpty else {
            report = nil
            fault = nil
            return
        }
        do throws(Faults) {
            let new = GatewayReport(try ReportedMessage(decoding: payload))
            // A new connection delivers the retained report again.
            if new != report { isReportOld = false }
            if let report, report.isAdvertising { hasAdvertised = true }
            report = new
            fault = nil
        } catch {
            fault =
                "its report can't be read: "
                + (error.list.first?.message ?? "not understood").printable(limit: 200)
        }
    }
}
