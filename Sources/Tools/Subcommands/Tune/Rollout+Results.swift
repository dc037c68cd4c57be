import Contract
import Primitives
import Subscriber
import Terminal

extension Rollout {
    /// Whether the rollout has published documents, or is about to.
    var hasResults: Bool {
        guard let delivery, !request.isDryRun else { return false }
        return !delivery.changes.isEmpty || request.mode != .remove
    }

    /// Whether the results are too many to list those that are as expected.
    var isLarge: Bool { request.edits.count > 1 || results.latest.count > Self.mostListed }

    private static let mostListed = 20

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
        .map { result in
            var settled = closing(name, result)
            // Only a gateway that is offline has a result without an answer.
            if settled.verdict == .offline { settled.isFinal = !request.waitsForOffline }
            return settled.isFinal ? settled : result
        }
        if results.update(name, to: result), let result { emit(.result(name, result)) }
    }

    /// Updates the results of the gateways that a document concerns.
    mutating func evaluateGateways(of name: LayerName) {
        if let site = name.site, let id = name.gateway {
            return evaluate(GatewayName(site: site, id: id))
        }
        roster.gateways.keys.filter(name.covers).sorted().forEach { evaluate($0) }
    }

    /// A gateway's result at the end of the rollout, with the reason for its silence.
    func closing(_ name: GatewayName, _ result: GatewayResult) -> GatewayResult {
        guard let documents = delivery?[name], [.silent, .offline].contains(result.verdict) else {
            return result
        }
        var closing = result
        if let document = documents.first(where: { $0.laterVersion != nil }),
            let version = document.laterVersion
        {
            closing.verdict = .overtaken
            let layer = document.revision.name.layer.rawValue
            closing.reasons = ["by version \(version) of the \(layer)'s document"]
        } else if result.verdict == .silent, !isAway(name), isTimedOut {
            closing.reasons = [
                "no answer within \(request.timeout.wholeSeconds) s"
                    + (retains
                        ? "" : ": it may be away, and the broker keeps no documents for its return")
                    + "; see 'sightline status \(name)', and on"
                    + " the gateway 'journalctl -u sightline-agent'"
            ]
        } else if isAway(name),
            documents.allSatisfy({ $0.revision.bytes == nil || $0.isPublished })
        {
            closing.verdict = .offline
            closing.reasons = [
                request.mode == .remove
                    ? "it keeps the layer, because it did not receive the removal"
                    : request.mode.restartsVersions
                        ? "it keeps its version; if that is later, run --reset-versions again"
                            + " when it is back"
                        : result.isOffline
                            ? "it applies this when it returns"
                            : "it applies this when it first connects"
            ]
        }
        return closing
    }

    /// Whether a gateway is offline, or new.
    private func isAway(_ name: GatewayName) -> Bool {
        roster.gateways[name].map { $0.isOffline || !$0.isHeardOf && retains } ?? false
    }

    /// Finishes when the broker has acknowledged every document and every gateway has a final result.
    mutating func finishIfComplete() {
        switch phase {
        case .publishing, .awaitingResults: break
        case .restoring(let queue):
            if queue.isEmpty, delivery?.isSettled == true { finish(.failed) }
            return
        case .subscribing, .gathering, .asking, .finished: return
        }
        guard results.pending == 0,
            let delivery, delivery.isAcknowledged, !delivery.isOverwritten,
            delivery.changes.allSatisfy(isConfirmed)
        else { return }
        noteOverflow()
        if results.latest.isEmpty { noteNoGateway() }
        finish(code)
    }

    /// The exit code of the results. A gateway that is offline applies a new document later, but misses a removal.
    private var code: ExitCode {
        let verdicts = results.latest.map { closing($0.key, $0.value).verdict }
        guard !roster.isFull, verdicts.allSatisfy({ $0 == .applied || $0 == .offline }) else {
            return .failed
        }
        if !verdicts.isEmpty, !verdicts.contains(.offline) { return .done }
        return request.mode == .remove || request.mode.restartsVersions ? .failed : .partlyDone
    }

    private mutating func noteNoGateway() {
        let place = request.edits.count == 1 ? "\(request.edits[0].name)" : "the plan's sites"
        emit(.notice("no gateway is known under \(place)"))
    }

    /// Finishes at a deadline, and reports what is missing.
    mutating func timeOut() {
        let changes = delivery?.changes ?? []
        let open = changes.filter { !$0.isAcknowledged }
        var isComplete = open.isEmpty
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
            $0.isAcknowledged && !$0.isEchoed && !$0.isOverwritten && !isConfirmed($0)
        }) {
            isComplete = false
            emit(
                .notice(
                    "the broker acknowledged \(hidden.revision.description(root: request.root)),"
                        + " but did not deliver it back; check the broker's access rules for this"
                        + " user"))
        }
        if results.latest.isEmpty { noteNoGateway() }
        noteOverflow()
        finish(isComplete && delivery?.isOverwritten == false ? code : .failed)
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
            done: total - results.pending, total: total, left: now.duration(to: delivery.deadline),
            open: openNames)
    }

    /// The results to list at the end of a large rollout, the worst verdicts first.
    var attention: [[(name: GatewayName, result: GatewayResult)]] {
        let closed = results.latest.map { (name: $0.key, result: closing($0.key, $0.value)) }
            .filter { $0.result.verdict != .applied || !$0.result.remarks.isEmpty }
            .sorted { $0.name < $1.name }
        let order: [GatewayResult.Verdict] = [
            .refused, .rejected, .overtaken, .silent, .offline, .applied,
        ]
        return order.map { verdict in closed.filter { $0.result.verdict == verdict } }
    }

    /// The gateways without a final result, at the end.
    var unanswered: [(name: GatewayName, result: GatewayResult)] {
        results.latest.filter { !$0.value.isFinal }.sorted { $0.key < $1.key }
            .map { ($0.key, closing($0.key, $0.value)) }
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
        let names = openNames
        return "waiting for \(names.count.grouped) of \(results.latest.count.grouped):"
            + " \(names.firstFew)"
    }

    private var openNames: [String] {
        results.latest.filter { !$0.value.isFinal }.sorted { $0.key < $1.key }
            .map { "\($0.key)" + ($0.value.isOffline ? " (offline)" : "") }
    }
}
