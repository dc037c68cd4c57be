import Contract
import JSON
import Primitives

/// The gateways that are known, by what they publish or because somebody named them.
package struct Roster {
    package struct Gateway {
        package fileprivate(set) var report: GatewayReport?
        /// The report is from before anything was published.
        package fileprivate(set) var isReportOld = false
        /// An earlier report said that it advertises.
        package fileprivate(set) var hasAdvertised = false
        /// Why the last report can't be read.
        package fileprivate(set) var objection: String?
        fileprivate var status: StatusMessage?
        fileprivate var isNamed = false

        /// An old will can't mask a new session.
        package var isOffline: Bool {
            guard let status, status.state == .offline else { return false }
            return report.map { $0.session == status.session } ?? true
        }

        /// It has said something, or its will has.
        package var isHeardOf: Bool { report != nil || status != nil || objection != nil }

        fileprivate var isKnown: Bool { isNamed || isHeardOf }
    }

    package private(set) var gateways: [GatewayName: Gateway] = [:]
    /// Messages of gateways beyond the most that are kept.
    package private(set) var isFull = false

    /// Above any fleet; a bound on what a broker can make us keep.
    package static let mostGateways = 20_000

    package init(named: [GatewayName] = []) {
        for name in named.prefix(Self.mostGateways) {
            gateways[name, default: Gateway()].isNamed = true
        }
    }

    /// Takes what a gateway published.
    package mutating func on(_ kind: Topics.Kind, of name: GatewayName, payload: [UInt8]) {
        guard gateways[name] != nil || gateways.count < Self.mostGateways else {
            isFull = true
            return
        }
        var gateway = gateways[name] ?? Gateway()
        switch kind {
        case .status: gateway.status = try? StatusMessage(decoding: payload)
        case .reported: gateway.take(report: payload)
        case .sightings, .health, .trackers: return
        }
        gateways[name] = gateway.isKnown ? gateway : nil
    }

    /// A report came that is too large to be delivered.
    package mutating func onOversizedReport(of name: GatewayName, bytes: Int) {
        guard gateways[name] != nil || gateways.count < Self.mostGateways else { return }
        gateways[name, default: Gateway()].objection = "its report has \(bytes.grouped) bytes"
    }

    /// Whatever was reported so far was reported before anything was published.
    package mutating func age() {
        for name in gateways.keys { gateways[name]?.isReportOld = true }
    }
}

extension Roster.Gateway {
    fileprivate mutating func take(report payload: [UInt8]) {
        // The empty message that removes a retained one.
        guard !payload.isEmpty else {
            report = nil
            objection = nil
            return
        }
        do throws(Faults) {
            let new = GatewayReport(try ReportedMessage(decoding: payload))
            // A new connection brings again what was retained.
            if new != report { isReportOld = false }
            if let report, report.isAdvertising { hasAdvertised = true }
            report = new
            objection = nil
        } catch {
            objection =
                "its report can't be read: "
                + (error.list.first?.message ?? "not understood").printable(limit: 200)
        }
    }
}
