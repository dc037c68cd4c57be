import Contract
import MQTT
import Primitives
import Subscriber
import Terminal

/// A change of layer documents, from the first subscription to the last gateway's result.
///
/// A value without sockets and clocks. Events go in; publications and outputs come out.
struct Rollout {
    enum Phase {
        /// The broker has not yet answered all subscriptions of this connection.
        case subscribing(since: Instant)
        /// Retained messages arrive since the answer to the last subscription.
        case gathering(RetainedBarrier)
        /// The user has yet to agree to the number of changes.
        case asking
        /// The broker has yet to receive these messages.
        case publishing(ArraySlice<Entry>)
        /// Another client's documents come first. The broker has yet to receive these again; then the rollout fails.
        case restoring(ArraySlice<Entry>)
        case awaitingResults
        case finished(ExitCode)
    }

    /// A message with a layer's document.
    struct Entry {
        let name: LayerName
        let bytes: [UInt8]
        let provenance: Provenance
        /// Another client's document keeps the time of its publication.
        var isRestored = false
    }

    /// Results for standard output, and notices for standard error.
    enum Output {
        case revision(DocumentRevision)
        /// The number of documents that change, after all revisions.
        case changing(Int, of: Int)
        case published(DocumentRevision)
        /// A final result; again if it changes.
        case result(GatewayName, GatewayResult)
        /// One sentence.
        case notice(String)
        /// For the user; `answer` takes the reply.
        case question(String)
    }

    /// The pause after the last retained message that ends the gathering. A document that arrives later would be overwritten,
    /// so it is longer than that of commands that only show.
    static let quiet = Duration.milliseconds(500)
    /// The limit for the broker's answer to the subscriptions.
    static let longestSubscribing = Duration.seconds(60)

    let request: RolloutRequest
    let topics: [String: LayerName]
    var phase: Phase
    var roster: Roster
    /// The documents that the broker has delivered on this connection.
    var retained: [LayerName: RetainedDocument] = [:]
    /// Whether the broker keeps retained messages; if not, the absence of one shows nothing.
    private(set) var retains = true
    /// `nil` until all retained documents are known.
    var delivery: DocumentDelivery?
    var results = GatewayResults()
    private var outputs: [Output] = []
    private(set) var isInterrupted = false
    /// Whether the documents may be published: the user has agreed, or is not asked.
    var hasConsent = true
    /// The time for the gateways' answers is over.
    private(set) var isTimedOut = false

    init(_ request: RolloutRequest, at now: Instant) {
        self.request = request
        topics = Dictionary(
            request.edits.map { ($0.name.topic(root: request.root), $0.name) },
            uniquingKeysWith: { $1 })
        roster = Roster(named: request.named)
        phase = .subscribing(since: now)
    }

    /// `nil` until the rollout has finished.
    var exit: ExitCode? {
        if case .finished(let code) = phase { code } else { nil }
    }

    /// When `tick` is next due.
    var deadline: Instant? {
        switch phase {
        case .subscribing(let since):
            delivery?.deadline ?? since + Self.longestSubscribing
        case .gathering(let barrier):
            [delivery?.deadline, barrier.deadline].compactMap(\.self).min()
        case .publishing, .restoring: delivery?.deadline
        case .awaitingResults: [delivery?.deadline, confirmationDue].compactMap(\.self).min()
        case .asking, .finished: nil
        }
    }

    /// Removes and returns the outputs since the last call.
    mutating func takeOutputs() -> [Output] {
        defer { outputs = [] }
        return outputs
    }

    mutating func emit(_ output: Output) { outputs.append(output) }

    /// Finishes the rollout; the first exit code counts.
    mutating func finish(_ code: ExitCode) {
        if exit == nil { phase = .finished(code) }
    }
}

// MARK: - Events

extension Rollout {
    /// The connection was lost. The next connection shows all documents again.
    mutating func lost(at now: Instant) {
        guard exit == nil else { return }
        if case .restoring = phase { return finish(.failed) }
        phase = .subscribing(since: now)
        retained = [:]
    }

    /// The first connection begins.
    mutating func connected(_ abilities: BrokerAbilities) {
        retains = abilities.retains
        guard !retains else { return }
        emit(
            .notice(
                "warning: the broker keeps no retained messages: only gateways that are connected now receive"
                    + " documents, and their present documents and versions are unknown"))
    }

    /// The broker has answered all subscriptions.
    mutating func subscribed(at now: Instant) {
        guard case .subscribing = phase else { return }
        var barrier = RetainedBarrier(quiet: Self.quiet)
        barrier.subscribed(at: now)
        phase = .gathering(barrier)
    }

    mutating func on(_ message: Message, at now: Instant) {
        if message.isRetained { noteRetained(at: now) }
        if let name = topics[message.topic] {
            let document =
                message.payload.isEmpty
                ? nil
                : RetainedDocument(message.payload, Provenance(message.userProperties))
            onDocument(document, of: name, isRetained: message.isRetained)
        } else if let (gateway, kind) = GatewayName.parse(message.topic, root: request.root) {
            roster.on(kind, of: gateway, payload: message.payload)
            evaluate(gateway)
            finishIfComplete()
        }
    }

    mutating func onOversized(topic: String, bytes: Int, at now: Instant) {
        noteRetained(at: now)
        if let name = topics[topic] {
            onDocument(RetainedDocument(oversized: bytes), of: name, isRetained: false)
        } else if let (gateway, kind) = GatewayName.parse(topic, root: request.root),
            kind == .reported
        {
            roster.onOversizedReport(of: gateway, bytes: bytes)
            evaluate(gateway)
            finishIfComplete()
        }
    }

    mutating func on(acknowledgement token: UInt64, _ reason: ReasonCode, at now: Instant) {
        guard let index = Int(exactly: token), request.edits.indices.contains(index),
            let document = delivery?[request.edits[index].name]
        else { return }
        let revision = document.revision
        guard !reason.isFailure else {
            let changes = delivery?.changes ?? []
            let published = changes.count(where: \.isAcknowledged)
            let others =
                changes.count > 1
                ? "; \(published) of \(count(changes.count, "document")) were published" : ""
            emit(
                .notice(
                    "the broker refused \(revision.description(root: request.root)):"
                        + " \(reason)\(others)"))
            delivery?[revision.name]?.isSent = false
            return finish(.failed)
        }
        delivery?[revision.name]?.isSent = true
        guard !document.isAcknowledged else { return }
        delivery?[revision.name]?.unacknowledged -= 1
        guard document.unacknowledged == 1 else { return }
        delivery?.deadline = now + request.timeout
        delivery?.acknowledgedAt = now
        if document.precedent == nil { emit(.published(revision)) }
        evaluateGateways(of: revision.name)
        finishIfComplete()
    }

    /// The user ended the program.
    mutating func interrupt() {
        isInterrupted = true
        if delivery == nil || !hasConsent {
            delivery = nil
            emit(.notice("interrupted; nothing was published"))
        }
        finish(.failed)
    }

    /// Does what is due.
    mutating func tick(at now: Instant) {
        switch phase {
        case .subscribing(let since)
        where delivery == nil && now >= since + Self.longestSubscribing:
            emit(.notice("the broker did not acknowledge the subscriptions"))
            finish(.failed)
        case .gathering(let barrier) where barrier.isComplete(at: now):
            if delivery == nil { decide(at: now) } else { resume() }
        default: break
        }
        if exit == nil, hasConsent, let delivery, now >= delivery.deadline {
            isTimedOut = true
            timeOut()
        }
        if exit == nil, let due = confirmationDue, now >= due { timeOut() }
    }

    /// The next message for the broker.
    ///
    /// - Parameter wall: the wall clock.
    mutating func nextPublication(at wall: UnixTime) -> (message: Publication, token: UInt64)? {
        let entry: Entry?
        switch phase {
        case .publishing(var queue):
            entry = queue.popFirst()
            publish(queue)
        case .restoring(var queue):
            entry = queue.popFirst()
            phase = .restoring(queue)
        case .subscribing, .gathering, .asking, .awaitingResults, .finished: entry = nil
        }
        guard let entry, let index = delivery?.index(of: entry.name) else { return nil }
        delivery?[entry.name]?.isSent = true
        var message = Publication(
            topic: entry.name.topic(root: request.root), payload: entry.bytes, isRetained: true,
            contentType: "application/json")
        if !entry.bytes.isEmpty {
            let provenance =
                entry.isRestored ? entry.provenance : entry.provenance.published(at: wall)
            message.userProperties = provenance.properties
        }
        return (message, UInt64(index))
    }

    /// Publishes messages, then waits for results.
    mutating func publish(_ queue: ArraySlice<Entry>) {
        phase = queue.isEmpty ? .awaitingResults : .publishing(queue)
    }

    /// Publishes another client's document again, after this rollout has replaced it.
    mutating func restore(_ document: RetainedDocument, of name: LayerName) {
        var queue: ArraySlice<Entry> = []
        if case .restoring(let earlier) = phase { queue = earlier }
        queue.append(
            Entry(
                name: name, bytes: document.bytes, provenance: document.provenance,
                isRestored: true))
        phase = .restoring(queue)
        delivery?[name]?.unacknowledged += 1
    }

    private mutating func noteRetained(at now: Instant) {
        guard case .gathering(var barrier) = phase else { return }
        barrier.received(at: now)
        phase = .gathering(barrier)
    }
}
