import CommandSupport
import Primitives

extension Campaign {
    /// Gateways are being waited for, or have been.
    var isJudging: Bool { editions != nil && !order.isDryRun }

    /// How many have answered for good; `nil` before anything was published.
    func progress(at now: Int64) -> ProgressBar? {
        guard isJudging, !judgements.isEmpty else { return nil }
        return ProgressBar(
            done: judgements.count - unanswered, total: judgements.count,
            left: deadline == .max ? nil : deadline - now)
    }

    func summary(_ exit: ExitCode) -> TuneSummary {
        let published = changes.count(where: isPublished)
        let outstanding = changes.count { !isPublished($0) && handed.contains($0.name) }
        return TuneSummary(
            judgements.map(closing), published: published, outstanding: outstanding,
            changes: changes.count, isInterrupted: isInterrupted, isDryRun: order.isDryRun,
            exit: exit)
    }

    /// Who is still waited for: one sentence; `nil` where nobody is.
    var waiting: String? {
        guard isJudging, unanswered > 0 else { return nil }
        let open = judgements.filter { !$0.value.isFinal }.sorted { $0.key < $1.key }
        let names = open.map { "\($0.key)" + ($0.value.isOffline ? " (offline)" : "") }
        return "waiting for \(open.count.grouped) of \(judgements.count.grouped):"
            + " \(names.firstFew)"
    }
}
