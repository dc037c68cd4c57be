import JSON
import Primitives
import Subscriber
import Terminal

/// The output of a rollout for people.
struct PlainTuneReporter: TuneReporter {
    let root: String
    let colours: Bool
    let unicode: Bool

    private static let longestValue = 400

    func lines(_ revision: DocumentRevision) -> [String] {
        let topic = revision.name.topic(root: root).printable(limit: 400)
        guard revision.bytes != nil else {
            guard revision.reason != .removal else { return ["\(topic): nothing to remove"] }
            let standing = revision.version.map { "version \($0) stays" } ?? "there is no document"
            return ["\(topic): no difference; \(standing)"]
        }
        let before =
            revision.base.map { $0.version.map { "version \($0)" } ?? "no version" }
            ?? "no document"
        let arrow = unicode ? "→" : "->"
        let after = revision.version.map { "version \($0)" } ?? "no document"
        var heading = "\(topic): \(before) \(arrow) \(after)"
        if revision.isRemoval, revision.base == nil {
            heading += ", because gateways know one"
        } else if revision.difference.isEmpty, !revision.isRemoval {
            heading += revision.reason.clause
        }
        return [heading]
            + revision.difference.changes.flatMap {
                Self.lines($0, colours: colours, unicode: unicode)
            }
    }

    /// The old value and the new one.
    static func lines(
        _ change: Difference.Change, colours: Bool, unicode: Bool
    ) -> [String] {
        let place = change.pointer.description
        func line(_ sign: String, _ value: JSON?, _ style: StyledLine.Style) -> [String] {
            value.map { value in
                let text = "\(sign) \(place) \(value.text)".printable(limit: longestValue)
                return [
                    StyledLine(text, style).text(width: .max, colours: colours, unicode: unicode)
                ]
            } ?? []
        }
        return line("-", change.old, .bad) + line("+", change.new, .good)
    }

    func lines(_ summary: ChangeSummary) -> [String] {
        summary.lines(colours: colours, unicode: unicode)
            + ["(--verbose shows each document)"]
    }

    func lines(published revision: DocumentRevision) -> [String] { [] }

    func lines(changing: Int, of documents: Int) -> [String] {
        guard changing > 0 else { return ["no difference in \(count(documents, "document"))"] }
        return [
            "\(changing.grouped) of \(count(documents, "document")) \(changing == 1 ? "changes" : "change")"
        ]
    }

    func line(_ gateway: GatewayName, _ result: GatewayResult, isInterrupted: Bool) -> String {
        var line = StyledLine("\(gateway) ")
        switch result.verdict {
        case .applied: line.append("applied", .good)
        case .offline: line.append("offline", .warning)
        case .silent where isInterrupted: line.append("no answer yet", .warning)
        case .silent: line.append("silent", .warning)
        case .rejected, .refused, .overtaken: line.append(result.verdict.rawValue, .bad)
        }
        if result.verdict == .silent, result.isOffline { line.append(" (offline)") }
        let reasons = result.reasons.joined(separator: "; ")
        if !reasons.isEmpty { line.append(": \(reasons)") }
        for remark in result.remarks { line.append("; \(remark)") }
        return line.text(width: .max, colours: colours, unicode: unicode)
    }

    func line(_ summary: TuneSummary) -> String {
        let counts = summary.counts.map { "\($0.number.grouped) \($0.word)" }
        var line = "\(count(summary.gateways, "gateway")): \(counts.joined(separator: ", "))"
        if summary.published < summary.changes {
            line += "; " + publications(summary)
        }
        return (summary.isInterrupted ? "interrupted; " : "") + line
    }

    /// The documents that were published, and those that may have been.
    private func publications(_ summary: TuneSummary) -> String {
        let (outstanding, changes) = (summary.outstanding, summary.changes)
        if outstanding == changes {
            return "\(count(changes, "document")) may have been published"
        }
        return "\(summary.published.grouped) of \(count(changes, "document")) published"
            + (outstanding > 0 ? ", \(outstanding.grouped) more may have been" : "")
    }
}
