import CommandSupport
import JSON
import Primitives
import Subscriber

/// A retuning for people.
struct PlainTuneReporter: TuneReporter {
    let root: String
    let colours: Bool
    let unicode: Bool

    private static let longestValue = 400

    func lines(_ edition: Edition) -> [String] {
        let topic = edition.name.topic(root: root).printable(limit: 400)
        guard edition.bytes != nil else {
            let standing = edition.version.map { "version \($0) stands" } ?? "there is no document"
            return ["\(topic): no difference; \(standing)"]
        }
        let before =
            edition.base.map { $0.version.map { "version \($0)" } ?? "no version" } ?? "no document"
        let arrow = unicode ? "→" : "->"
        let after = edition.version.map { "version \($0)" } ?? "no document"
        var heading = "\(topic): \(before) \(arrow) \(after)"
        if edition.isRemoval, edition.base == nil {
            heading += ", because gateways know one"
        } else if edition.difference.isEmpty, !edition.isRemoval {
            heading += ", because gateways know a later one"
        }
        return [heading] + edition.difference.changes.flatMap(lines)
    }

    private func lines(_ change: Difference.Change) -> [String] {
        let place = change.pointer.description
        func line(_ sign: String, _ value: JSON?, _ style: StyledLine.Style) -> [String] {
            value.map { value in
                let text = "\(sign) \(place) \(value.text)".printable(limit: Self.longestValue)
                return [
                    StyledLine(text, style).text(width: .max, colours: colours, unicode: unicode)
                ]
            } ?? []
        }
        return line("-", change.old, .bad) + line("+", change.new, .good)
    }

    func lines(published edition: Edition) -> [String] { [] }

    func line(_ gateway: GatewayName, _ judgement: Judgement, isInterrupted: Bool) -> String {
        var line = StyledLine("\(gateway) ")
        switch judgement.verdict {
        case .applied: line.append("applied", .good)
        case .silent where isInterrupted: line.append("no answer yet", .warning)
        case .silent: line.append("silent", .warning)
        case .rejected, .refused, .overtaken: line.append(judgement.verdict.rawValue, .bad)
        }
        if judgement.verdict == .silent, judgement.isOffline { line.append(" (offline)") }
        let reasons = judgement.reasons.joined(separator: "; ")
        if !reasons.isEmpty { line.append(": \(reasons)") }
        for remark in judgement.remarks { line.append("; \(remark)") }
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

    /// How many documents were published, and how many perhaps.
    private func publications(_ summary: TuneSummary) -> String {
        let (outstanding, changes) = (summary.outstanding, summary.changes)
        if outstanding == changes {
            return "\(count(changes, "document")) may have been published"
        }
        return "\(summary.published.grouped) of \(count(changes, "document")) published"
            + (outstanding > 0 ? ", \(outstanding.grouped) more may have been" : "")
    }
}
