import Contract
import JSON
import Primitives
import Subscriber
import Terminal

/// The text of a history, for people.
struct HistoryReport {
    let history: LayerHistory
    /// All entries, and a line for each gateway.
    let isVerbose: Bool
    let colours: Bool
    let unicode: Bool

    /// Without `isVerbose`.
    private static let mostEntries = 20
    private static let mostGateways = 10

    var lines: [String] {
        guard !history.entries.isEmpty else { return ["no document is retained or in force"] }
        let most = isVerbose ? .max : Self.mostEntries
        let others = history.entries.count - most
        return history.entries.prefix(most).flatMap(lines)
            + (others > 0 ? ["and \(others.grouped) earlier entries (--verbose shows them)"] : [])
    }

    private func lines(_ entry: LayerHistory.Entry) -> [String] {
        var heading = StyledLine(Self.time(of: entry), .bold)
        heading.append("  \(entry.name): ")
        heading.append(entry.version.map { "version \($0)" } ?? "a document without a version")
        if let version = entry.replaced?.version { heading.append(" replaces version \(version)") }
        if entry.isConflicting {
            heading.append(", another document than the broker's")
        } else if !entry.isRetained {
            heading.append(", no longer on the broker")
        }
        return [text(heading)] + contents(entry).map { "  \($0)" }
            + (running(entry) + missing(entry)).map { "  " + text($0) }
    }

    /// The time of a publication, or a time at which it was over.
    private static func time(of entry: LayerHistory.Entry) -> String {
        if let time = entry.publishedAt { return time.spelled }
        guard let earliest = entry.earliest else { return "time unknown" }
        return "before \(earliest.spelled)"
    }

    /// The differences from the document before; the settings if that is unknown.
    private func contents(_ entry: LayerHistory.Entry) -> [String] {
        guard let document = entry.document else { return ["its settings are not known"] }
        guard let sections = document.sections else {
            let fault = (document.fault ?? "").printable(limit: 300)
            return ["the document can't be read: \(fault)"]
        }
        let difference = Difference(
            from: entry.replaced?.sections ?? .object([]), to: sections)
        guard !difference.isEmpty else {
            return [entry.replaced == nil ? "it sets nothing" : "the same settings"]
        }
        return (entry.replaced == nil ? ["its settings:"] : [])
            + difference.changes.flatMap {
                PlainTuneReporter.lines($0, colours: colours, unicode: unicode)
            }
    }

    private func running(_ entry: LayerHistory.Entry) -> [StyledLine] {
        let total = history.gateways[entry.name] ?? 0
        guard let first = entry.running.first else {
            return [
                StyledLine(
                    total == 0 ? "no gateway is known there" : "in force at no gateway", .warning)
            ]
        }
        let isEverywhere = entry.running.count == total
        let names = entry.running.map(\.gateway.description)
        let place =
            total == 1
            ? "\(first.gateway)"
            : isEverywhere
                ? "all \(count(total, "gateway"))"
                : "\(entry.running.count.grouped) of \(count(total, "gateway"))"
                    + (isVerbose ? "" : " (\(names.firstFew))")
        var line = StyledLine("in force at ")
        line.append(place, isEverywhere ? .good : .plain)
        line.append(Self.period(entry.running))
        guard isVerbose, total > 1 else { return [line] }
        return [line]
            + entry.running.map { running in
                let since = running.since.map { "since \($0.spelled)" } ?? "since an unknown time"
                return StyledLine("  \(running.gateway) \(since)")
            }
    }

    /// Since when gateways have a version in force.
    private static func period(_ running: [LayerHistory.Running]) -> String {
        let times = running.compactMap(\.since)
        guard let first = times.min(), let last = times.max() else {
            return ", since an unknown time (clock not set, or an agent before 0.2)"
        }
        let unknown = running.count - times.count
        return
            (first.spelled == last.spelled
            ? " since \(first.spelled)" : ", from \(first.spelled) to \(last.spelled)")
            + (unknown > 0
                ? "; of \(unknown.grouped) the time is unknown (clock not set, or an agent before 0.2)"
                : "")
    }

    private func missing(_ entry: LayerHistory.Entry) -> [StyledLine] {
        let most = isVerbose ? .max : Self.mostGateways
        let others = entry.missing.count - most
        return entry.missing.prefix(most).map { missing in
            var line = StyledLine("not at \(missing.gateway): ")
            line.append(missing.word, missing.result.verdict == .silent ? .warning : .bad)
            line.append("; " + (missing.version.map { "version \($0)" } ?? "no document"))
            line.append(" is in force there")
            let reasons = missing.result.reasons.joined(separator: "; ")
            if !reasons.isEmpty { line.append("; \(reasons)") }
            return line
        } + (others > 0 ? [StyledLine("and not at \(count(others, "more gateway"))")] : [])
    }

    private func text(_ line: StyledLine) -> String {
        line.text(width: .max, colours: colours, unicode: unicode)
    }
}

extension UnixTime {
    /// `2026-05-28 20:26:40 UTC`.
    fileprivate var spelled: String {
        let time = UTCTime(self)
        return "\(time.date) \(time.clock) UTC"
    }
}
