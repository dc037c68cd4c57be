import JSON
import Subscriber
import Terminal

/// The output of a rollout for programs: one object a line, with the member `type`.
struct JSONTuneReporter: TuneReporter {
    let root: String
    /// Shows documents and publishes none.
    var isDryRun = false

    func lines(_ revision: DocumentRevision) -> [String] {
        [
            JSON.object(
                members("document", revision) + [
                    .init("from", (revision.base?.version).orNull),
                    .init("to", revision.version.orNull),
                    .init("publish", .bool(revision.bytes != nil)),
                    .init("changes", revision.difference.json),
                ] + dryRun
            ).text
        ]
    }

    func lines(_ summary: ChangeSummary) -> [String] { [] }

    func lines(published revision: DocumentRevision) -> [String] {
        [
            JSON.object(
                members("published", revision) + [.init("version", revision.version.orNull)]
            ).text
        ]
    }

    func lines(changing: Int, of documents: Int) -> [String] { [] }

    func line(_ gateway: GatewayName, _ result: GatewayResult, isInterrupted: Bool) -> String {
        JSON.object([
            .init("type", .string("gateway")), .init("site", .string(gateway.site)),
            .init("gateway", .string(gateway.id)),
            .init("verdict", .string(result.verdict.rawValue)),
            .init("final", .bool(result.isFinal || !isInterrupted)),
            .init("offline", .bool(result.isOffline)),
            .init("reasons", .array(result.reasons.map { .string($0) })),
            .init("remarks", .array(result.remarks.map { .string($0) })),
        ]).text
    }

    func line(_ summary: TuneSummary) -> String {
        let members: [JSON.Member] = [
            .init("type", .string("summary")), .init("gateways", .integer(summary.gateways)),
            .init("applied", .integer(summary.applied)),
            .init("rejected", .integer(summary.rejected)),
            .init("refused", .integer(summary.refused)),
            .init("overtaken", .integer(summary.overtaken)),
            .init("offline", .integer(summary.offline)),
            .init("silent", .integer(summary.silent)),
            .init("documents", .integer(summary.changes)),
            .init("published", .integer(summary.published)),
            .init("unacknowledged", .integer(summary.outstanding)),
            .init("interrupted", .bool(summary.isInterrupted)),
            .init("exit", .integer(Int64(summary.exit.rawValue))),
        ]
        return JSON.object(members + dryRun).text
    }

    private var dryRun: [JSON.Member] { isDryRun ? [.init("dryRun", .bool(true))] : [] }

    private func members(_ type: String, _ revision: DocumentRevision) -> [JSON.Member] {
        [
            .init("type", .string(type)), .init("layer", .string(revision.name.layer.rawValue)),
            .init("topic", .string(revision.name.topic(root: root))),
        ]
    }
}

extension Difference {
    /// An object for each change.
    var json: JSON {
        .array(
            changes.map { change in
                var members: [JSON.Member] = [.init("path", .string(change.pointer.description))]
                if let old = change.old { members.append(.init("old", old)) }
                if let new = change.new { members.append(.init("new", new)) }
                return .object(members)
            })
    }
}

extension Int64? {
    fileprivate var orNull: JSON { map { .integer($0) } ?? .null }
}
