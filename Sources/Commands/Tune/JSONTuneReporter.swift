import CommandSupport
import JSON
import Subscriber

/// A retuning for programs: one object a line, told apart by `type`.
struct JSONTuneReporter: TuneReporter {
    let root: String
    /// Documents are shown, not published.
    var isDryRun = false

    func lines(_ edition: Edition) -> [String] {
        let changes = edition.difference.changes.map { change -> JSON in
            var members: [JSON.Member] = [.init("path", .string(change.pointer.description))]
            if let old = change.old { members.append(.init("old", old)) }
            if let new = change.new { members.append(.init("new", new)) }
            return .object(members)
        }
        return [
            JSON.object(
                members("document", edition) + [
                    .init("from", (edition.base?.version).orNull),
                    .init("to", edition.version.orNull),
                    .init("publish", .bool(edition.bytes != nil)),
                    .init("changes", .array(changes)),
                ] + dryRun
            ).text
        ]
    }

    func lines(published edition: Edition) -> [String] {
        [
            JSON.object(
                members("published", edition) + [.init("version", edition.version.orNull)]
            ).text
        ]
    }

    func line(_ gateway: GatewayName, _ judgement: Judgement, isInterrupted: Bool) -> String {
        JSON.object([
            .init("type", .string("gateway")), .init("site", .string(gateway.site)),
            .init("gateway", .string(gateway.id)),
            .init("verdict", .string(judgement.verdict.rawValue)),
            .init("final", .bool(judgement.isFinal || !isInterrupted)),
            .init("offline", .bool(judgement.isOffline)),
            .init("reasons", .array(judgement.reasons.map { .string($0) })),
            .init("remarks", .array(judgement.remarks.map { .string($0) })),
        ]).text
    }

    func line(_ summary: TuneSummary) -> String {
        let members: [JSON.Member] = [
            .init("type", .string("summary")), .init("gateways", .integer(summary.gateways)),
            .init("applied", .integer(summary.applied)),
            .init("rejected", .integer(summary.rejected)),
            .init("refused", .integer(summary.refused)),
            .init("overtaken", .integer(summary.overtaken)),
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

    private func members(_ type: String, _ edition: Edition) -> [JSON.Member] {
        [
            .init("type", .string(type)), .init("layer", .string(edition.name.layer.rawValue)),
            .init("topic", .string(edition.name.topic(root: root))),
        ]
    }
}

extension Int64? {
    fileprivate var orNull: JSON { map { .integer($0) } ?? .null }
}
