import Messages

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
        var heading = "\(topic): \(before) \(arrow) version \(edition.version ?? 0)"
        if edition.difference.isEmpty { heading += ", because gateways know a later one" }
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
        case .rejected, .refused: line.append(judgement.verdict.rawValue, .bad)
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
            line +=
                "; \(summary.published.grouped) of"
                + " \(count(summary.changes, "document")) published"
        }
        return (summary.isInterrupted ? "interrupted; " : "") + line
    }
}
