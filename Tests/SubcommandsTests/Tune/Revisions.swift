import Contract
import JSON
import MessageSamples
import Subscriber

@testable import Subcommands

/// Revisions of a site's document.
enum Revisions {
    static func revision(
        _ base: String?, _ assignments: [String], highest: Int64? = nil,
        mode: RolloutRequest.Mode = .edit
    ) throws -> DocumentRevision {
        try revision(
            base, assignments, reports: highest.map { [Reports.message(site: $0)] } ?? [],
            mode: mode)
    }

    /// A revision of a site's document, whose gateways g0, g1, … have these reports.
    static func revision(
        _ base: String?, _ assignments: [String], reports: [ReportedMessage],
        mode: RolloutRequest.Mode = .edit
    ) throws -> DocumentRevision {
        let name = LayerName(site: "s")
        let base = base.map { RetainedDocument(Array($0.utf8)) }
        return try DocumentRevision(
            of: name, base: base, assignments: assignments.map { try Assignment(parsing: $0) },
            known: known(base, reports), mode: mode)
    }

    static func known(
        _ base: RetainedDocument?, _ reports: [ReportedMessage]
    ) -> KnownVersions {
        var roster = Roster()
        for (index, report) in reports.enumerated() {
            let gateway = GatewayName(site: "s", id: "g\(index)")
            roster.on(.reported, of: gateway, payload: report.encoded)
        }
        return KnownVersions(of: LayerName(site: "s"), in: roster, base: base)
    }
}
