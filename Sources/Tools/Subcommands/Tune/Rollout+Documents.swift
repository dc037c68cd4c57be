import Contract
import Primitives
import Subscriber
import Terminal

extension Rollout {
    /// Takes a layer's document; `nil` is the empty message that removes it.
    mutating func onDocument(
        _ document: RetainedDocument?, of name: LayerName, isRetained: Bool
    ) {
        retained[name] = document
        guard let own = delivery?[name] else { return }
        if own.revision.isShown(as: document) {
            delivery?[name]?.isEchoed = true
            delivery?[name]?.isOverwritten = false
            return finishIfComplete()
        }
        // The other client's document, restored.
        if let document, document == own.precedent { return }
        // The removal before a restart of the versions.
        if document == nil, own.revision.restartsVersions, own.isSent, !own.isEchoed { return }
        // The base may arrive late, or again from a restarted broker. An empty message is never retained: another client
        // has just removed the document.
        let isBase = document == own.revision.base && (isRetained || !own.isEchoed)
        guard !isBase || document == nil else { return }
        // A retained message says nothing of the order in which clients published.
        guard let document, !isRetained, own.isSent, let version = document.version,
            let ownVersion = own.revision.version, version >= ownVersion
        else { return fail(over: name, document) }
        switch (own.isEchoed, version == ownVersion) {
        case (true, true):
            // Gateways keep the first document of a version, and so does the other client: it restores this revision.
            delivery?[name]?.isOverwritten = true
        case (true, false): fail(over: name, document)
        case (false, _):
            // The broker had the other document first, so this revision has just replaced it.
            if let earlier = own.precedent?.version, earlier >= version { return }
            delivery?[name]?.precedent = document
            delivery?[name]?.laterVersion = version
            emit(
                .notice(
                    "another client published version \(version) on"
                        + " \(name.topic(root: request.root)) first; its document is restored,"
                        + " check it and run tune again"))
            restore(document, of: name)
        }
    }

    /// Fails because another client has changed the same document.
    private mutating func fail(over name: LayerName, _ document: RetainedDocument?) {
        let topic = name.topic(root: request.root)
        let event =
            switch document {
            case nil: "another client removed the document of \(topic)"
            case let document? where document.version == nil:
                "another client published a document on \(topic) that can't be read"
            case let document?:
                "another client published version \(document.version ?? 0) on \(topic)"
            }
        emit(.notice("\(event); check the document, then run tune again"))
        if let version = document?.version, version >= delivery?[name]?.revision.version ?? 0 {
            delivery?[name]?.laterVersion = version
        }
        finish(.failed)
    }

    /// All retained messages are known: creates the revisions and starts publishing.
    mutating func decide(at now: Instant) {
        guard acceptsPlaces(), let revisions = makeRevisions() else { return }
        let delivery = DocumentDelivery(revisions, at: now, timeout: request.timeout)
        self.delivery = delivery
        revisions.forEach { emit(.revision($0)) }
        emit(.changing(delivery.changes.count, of: revisions.count))
        guard !delivery.changes.isEmpty || request.mode != .remove else { return finish(.done) }
        noteNewPlaces()
        guard !request.isDryRun else {
            emit(.notice("dry run: nothing is published"))
            return finish(.done)
        }
        guard delivery.changes.count <= request.mostUnasked ?? .max else {
            hasConsent = false
            phase = .asking
            return emit(.question("Publish \(count(delivery.changes.count, "document"))?"))
        }
        begin()
    }

    /// The user's answer to the question.
    mutating func answer(_ isAgreed: Bool, at now: Instant) {
        guard exit == nil, !hasConsent else { return }
        guard isAgreed else {
            delivery = nil
            emit(.notice("nothing was published"))
            return finish(.failed)
        }
        hasConsent = true
        delivery?.begin(at: now, timeout: request.timeout)
        // Without a connection, the next one begins.
        if case .asking = phase { begin() }
    }

    private mutating func begin() {
        roster.age()
        publish((delivery?.changes ?? []).flatMap(\.revision.entries)[...])
        for name in roster.gateways.keys.sorted() { evaluate(name) }
        finishIfComplete()
    }

    /// Creates all revisions, or reports the failures of all documents and finishes.
    private mutating func makeRevisions() -> [DocumentRevision]? {
        var revisions: [DocumentRevision] = []
        var worst: ExitCode?
        for edit in request.edits {
            let base = retained[edit.name]
            let topic = edit.name.topic(root: request.root)
            let known = KnownVersions(of: edit.name, in: roster, base: base)
            guard request.mode != .remove else {
                revisions.append(
                    DocumentRevision(
                        removing: edit.name, base: base, isReported: known.isReported))
                continue
            }
            if !request.mode.restartsVersions {
                known.notice(topic: topic, base: base).map { emit(.notice($0)) }
            }
            do throws(DocumentRevision.Failure) {
                revisions.append(
                    try DocumentRevision(
                        of: edit.name, base: base, assignments: edit.assignments, known: known,
                        mode: request.mode))
            } catch {
                worst = worst == .wrongUse ? .wrongUse : error.exitCode
                error.sentences(topic: topic, known).forEach { emit(.notice($0)) }
            }
        }
        if let worst { finish(worst) }
        return worst == nil ? revisions : nil
    }

    /// Publishes the documents again that the broker does not have on this new connection.
    mutating func resume() {
        guard hasConsent else {
            phase = .asking
            return
        }
        var missing: [Entry] = []
        for document in delivery?.changes ?? [] {
            let name = document.revision.name
            // The broker can't show that it received a removal, so the removal is repeated.
            let isShown =
                !document.revision.isRemoval && document.revision.isShown(as: retained[name])
            delivery?[name]?.isEchoed = isShown
            // The acknowledgement may have been lost with the connection.
            let entries = isShown ? [] : document.revision.entries
            delivery?[name]?.unacknowledged = entries.count
            missing += entries
        }
        publish(missing[...])
        finishIfComplete()
    }
}

extension DocumentRevision {
    fileprivate var entries: [Rollout.Entry] {
        messages.map {
            Rollout.Entry(name: name, bytes: $0, provenance: Provenance(replacing: base))
        }
    }
}

/// An acknowledgement does not prove that the broker has taken a document. With MQTT 3.1.1, a broker also acknowledges what
/// the user has no right to publish (MQTT 3.1.1 section 3.3.5).
extension Rollout {
    /// The time for the broker to deliver an acknowledged document back to this client.
    static let confirmationTime = Duration.seconds(3)

    /// Whether a message proves that the broker has taken a document.
    func isConfirmed(_ document: DocumentDelivery.Document) -> Bool {
        if document.isSeen { return true }
        let name = document.revision.name
        return results.latest.contains {
            name.covers($0.key) && $0.value.isFinal && $0.value.verdict != .offline
        }
    }

    /// When missing confirmations end the rollout; `nil` if a gateway can still answer a confirmed document.
    var confirmationDue: Instant? {
        guard case .awaitingResults = phase, let delivery, delivery.isAcknowledged,
            let acknowledgedAt = delivery.acknowledgedAt
        else { return nil }
        let changes = delivery.changes
        let isDoubtful =
            results.pending == 0
            ? !changes.allSatisfy(isConfirmed) : !changes.contains(where: isConfirmed)
        return isDoubtful ? acknowledgedAt + Self.confirmationTime : nil
    }
}
