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
        TuneSummary(
            judgements.values, published: acknowledged.count, changes: changes.count,
            isInterrupted: isInterrupted, exit: exit)
    }
}
