import CommandSupport
import Contract
import Primitives
import Subscriber

extension Rollout {
    /// Whether the rollout has published documents, or is about to.
    var hasResults: Bool { delivery != nil && !request.isDryRun }

    /// Updates a gateway's result if a document of the rollout concerns it.
    mutating func evaluate(_ name: GatewayName) {
        guard let delivery, !request.isDryRun else { return }
        var expected: [Topics.Layer: Int64?] = [:]
        var digests = LayerDigests()
        var restarted: Set<Topics.Layer> = []
        for revision in delivery[name].map(\.revision) {
            let layer = revision.name.layer
            expected.updateValue(revision.version, forKey: layer)
            digests[layer] = revision.digest
            if revision.restartsVersions { restarted.insert(layer) }
        }
        guard !expected.isEmpty else { return }
        let result = roster.gateways[name].map {
            GatewayResult(
                of: $0, expecting: expected, digests: digests, restarted: restarted)
        }
        if results.update(name, to: result), let result { emit(.result(name, result)) }
    }

    /// A gateway's result at the end of the rollout, with the reason for its silence.
    func closing(_ name: GatewayName, _ result: GatewayResult) -> GatewayResult {
        guard let documents = delivery?[name], result.verdict == .silent else { return result }
        var closing = result
        if let document = documents.first(where: { $0.laterVersion != nil }),
            let version = document.laterVersion
        {
            closing.verdict = .overtaken
            let layer = document.revision.name.layer.rawValue
            closing.reasons = ["by version \(version) of the \(layer)'s document"]
        } else if result.isOffline,
            documents.allSatisfy({ $0.revision.bytes == nil || $0.isPublished })
        {
            closing.reasons = [
                request.isRemoving
                    ? "it keeps the layer, because it did not receive the removal"
                    : request.restartsVersions
                        ? "it keeps its version; if that is later, run --reset-versions again"
                            + " when it is back"
                        : "it takes this when it is back"
            ]
        }
        return closing
    }

    /// Finishes when the broker has acknowledged every document and every gateway has a final result.
    mutating func finishIfComplete() {
        switch phase {
        case .publishing, .awaitingResults: break
        case .restoring(let queue):
            if queue.isEmpty, delivery?.isSettled == true { finish(.failed) }
            return
        case .subscribing, .gathering, .finished: return
        }
        guard !results.latest.isEmpty, results.pending == 0,
            let delivery, delivery.isAcknowledged, !delivery.isOverwritten
        else { return }
        noteOverflow()
        let areApplied = results.latest.values.allSatisfy { $0.verdict == .applied }
        finish(areApplied && !roster.isFull ? .done : .failed)
    }

    /// Finishes at the deadline, and reports what is missing.
    mutating func timeOut() {
        let changes = delivery?.changes ?? []
        let open = changes.filter { !$0.isAcknowledged }
        if let first = open.first {
            let others = open.count > 1 ? ", and \(count(open.count - 1, "more document"))" : ""
            emit(
                .notice(
                    "the broker has not acknowledged"
                        + " \(first.revision.description(root: request.root))\(others)"))
        }
        for document in changes where document.isOverwritten {
            emit(
                .notice(
                    "another client replaced"
                        + " \(document.revision.description(root: request.root)) with another"
                        + " document of the same version; run tune again"))
        }
        if let hidden = changes.first(where: {
            $0.isAcknowledged && !$0.isEchoed && !$0.isOverwritten
        }) {
            emit(
                .notice(
                    "the broker acknowledged \(hidden.revision.description(root: request.root)),"
                        + " but did not deliver it back; check the broker's access rules for this"
                        + " user"))
        }
        if results.latest.isEmpty {
            let place =
                request.edits.count == 1 ? "\(request.edits[0].name)" : "the plan's sites"
            emit(.notice("no gateway is known under \(place)"))
        }
        noteOverflow()
        finish(.failed)
    }

    private mutating func noteOverflow() {
        guard roster.isFull else { return }
        let most = Roster.mostGateways.grouped
        emit(.notice("there are more than \(most) gateways; the results of the others are unknown"))
    }

    // MARK: Progress

    /// `nil` before the first publication.
    func progress(at now: Instant) -> ProgressBar? {
        guard hasResults, !results.latest.isEmpty, let delivery else { return nil }
        let total = results.latest.count
        return ProgressBar(
            done: total - results.pending, total: total, left: now.duration(to: delivery.deadline))
    }

    func summary(_ exit: ExitCode) -> TuneSummary {
        let changes = delivery?.changes ?? []
        return TuneSummary(
            results.latest.map(closing), published: changes.count(where: \.isPublished),
            outstanding: changes.count { !$0.isPublished && $0.isSent },
            changes: changes.count, isInterrupted: isInterrupted, isDryRun: request.isDryRun,
            exit: exit)
    }

    /// The gateways without a final result: one sentence; `nil` for none.
    var waiting: String? {
        guard hasResults, results.pending > 0 else { return nil }
        let open = results.latest.filter { !$0.value.isFinal }.sorted { $0.key < $1.key }
        let names = open.map { "\($0.key)" + ($0.value.isOffline ? " (offline)" : "") }
        return "waiting for \(open.count.grouped) of \(results.latest.count.grouped):"
            + " \(names.firstFew)"
    }
}
