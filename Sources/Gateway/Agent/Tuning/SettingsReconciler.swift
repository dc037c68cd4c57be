import Contract
import JSON
import Primitives
import Radio

/// Brings the accepted layer documents into force: requests them from the radio process, has them saved, and reports.
///
/// A value without clock, disk or socket. Documents are *in force* when the radio process has applied them.
package struct SettingsReconciler: Sendable {
    package enum Action: Equatable, Sendable {
        /// Send the request to the radio process, which answers with the same number.
        case apply(ApplyRequest)
        /// Save the layers, then call `persisted`.
        case persist(DatedLayers)
    }

    private enum Phase {
        case idle
        /// A request follows at this time.
        case scheduled(Instant)
        case applying(Attempt)
    }

    private struct Attempt {
        let id: UInt64
        let stack: LayerStack
        let settings: GatewaySettings
        /// The attempt counts as failed from then on.
        let deadline: Instant
    }

    private enum Persistence {
        case saved
        case failed(retry: Instant?)
    }

    /// The radio process answers within this time: ten commands that each take the longest.
    package static let answerTimeout = Duration.seconds(30)
    /// The least time between two requests, so that a flood of documents causes few retunes.
    package static let requestInterval = Duration.seconds(1)
    /// The time from the first change to the request. Documents that arrive together are tried together, such as the
    /// retained ones after a connection.
    package static let gatheringTime = Duration.milliseconds(100)
    /// The time between two attempts to save.
    package static let saveInterval = Duration.seconds(60)

    package private(set) var inForce: LayerStack
    /// The settings of `inForce`.
    package private(set) var settings: GatewaySettings
    /// Since when the documents are in force, by the wall clock.
    private var since: LayerTimes
    private var admission: LayerAdmission
    private var phase = Phase.idle
    private var lastID: UInt64
    private var lastRequest: Instant?
    private var persistence = Persistence.saved
    private var controller = ControllerState()
    private var hasChanges = true

    /// - Parameters:
    ///   - local: the local file's sections, which are valid without the other layers.
    ///   - settings: the settings of `local`.
    ///   - restored: the saved documents. The radio starts with them.
    ///   - firstRequest: the number of the first request, which no earlier reconciler of the session has used.
    package init(
        local: JSON, settings: GatewaySettings, restored: DatedLayers = DatedLayers(),
        firstRequest: UInt64 = 1
    ) {
        lastID = firstRequest &- 1
        admission = LayerAdmission(local: local, restored: restored.documents)
        inForce = admission.accepted
        since = restored.since
        self.settings = (try? admission.accepted.settings()) ?? settings
    }

    /// Whether a report is due. During an attempt the settings in force are unknown, so the report waits.
    package var isReportDue: Bool {
        if case .applying = phase { false } else { hasChanges }
    }

    /// When `tick` is next due.
    package var deadline: Instant? {
        let next: Instant? =
            switch phase {
            case .idle: nil
            case .scheduled(let due): due
            case .applying(let attempt): attempt.deadline
            }
        guard case .failed(let retry?) = persistence else { return next }
        return next.map { min($0, retry) } ?? retry
    }

    // MARK: Events

    /// A layer's message arrived. The empty message removes the layer's document.
    package mutating func on(_ payload: [UInt8], of layer: Topics.Layer, at now: Instant) {
        guard !payload.isEmpty else {
            return receive(LayerChange(layer: layer, document: nil), at: now)
        }
        do throws(Faults) {
            let document = try LayerDocument(parsing: payload)
            receive(LayerChange(layer: layer, document: document), at: now)
        } catch {
            hasChanges = true
            admission.reject(layer, LayerDocument.claimedVersion(in: payload), error.list)
        }
    }

    /// A layer's message exceeded the size limit.
    package mutating func onOversized(_ layer: Topics.Layer, bytes: Int) {
        let sentence = "the document has \(bytes) bytes; the limit is \(LayerDocument.maxBytes)"
        hasChanges = true
        admission.reject(layer, nil, [Fault(.root, .tooLarge, sentence)])
    }

    /// The agent read the local file again; these are its sections.
    package mutating func on(local: JSON, at now: Instant) {
        receive(LayerChange(layer: nil, document: LayerStack.document(local)), at: now)
    }

    /// The agent connected to a broker, which needs a report.
    package mutating func connected() { hasChanges = true }

    /// The radio process reported the controller's state.
    package mutating func on(_ controller: ControllerState, at now: Instant) {
        guard controller != self.controller else { return }
        self.controller = controller
        hasChanges = true
        schedule(at: now)
    }

    /// The radio process answered a request.
    ///
    /// - Parameter wall: the wall clock; `nil` if it is not set.
    package mutating func on(
        _ result: ApplyResult, at now: Instant, wall: UnixTime? = nil
    ) -> [Action] {
        guard case .applying(let attempt) = phase, attempt.id == result.id else { return [] }
        phase = .idle
        hasChanges = true
        var actions: [Action] = []
        switch result.outcome {
        case .applied:
            let changes = attempt.stack.differences(from: inForce).compactMap(\.self)
            inForce = attempt.stack
            for layer in changes { since[layer] = wall }
            // The local file is its own copy on the disk.
            if !changes.isEmpty { actions = [.persist(saved)] }
            settings = attempt.settings
            admission.advance(inForce: inForce)
        case .refused(let refusal):
            admission.refuse(attempt.stack, refusal, inForce: inForce)
            admission.advance(inForce: inForce)
        case .postponed: break
        }
        schedule(at: now)
        return actions
    }

    /// The agent saved the layers, or failed to.
    package mutating func persisted(_ success: Bool, at now: Instant) {
        persistence = success ? .saved : .failed(retry: now + Self.saveInterval)
        hasChanges = true
    }

    /// Does what is due.
    package mutating func tick(at now: Instant) -> [Action] {
        var actions: [Action] = []
        if case .failed(let retry?) = persistence, retry <= now {
            persistence = .failed(retry: nil)
            actions.append(.persist(saved))
        }
        switch phase {
        case .scheduled(let due) where due <= now:
            phase = .idle
            if let request = request(at: now) { actions.append(.apply(request)) }
        case .applying(let attempt) where attempt.deadline <= now:
            phase = .idle
            schedule(at: now)
        default: break
        }
        return actions
    }
}

// MARK: - Requests

extension SettingsReconciler {
    private mutating func receive(_ change: LayerChange, at now: Instant) {
        if admission.receive(change) { schedule(at: now) }
        // An accepted document is reported after the radio process has answered.
        if admission.accepted[change.layer] != change.document || admission.accepted == inForce {
            hasChanges = true
        }
    }

    private mutating func schedule(at now: Instant) {
        if case .applying = phase { return }
        guard admission.accepted != inForce else {
            phase = .idle
            return
        }
        guard case .idle = phase else { return }
        let earliest = lastRequest.map { $0 + Self.requestInterval } ?? now
        phase = .scheduled(max(earliest, now + Self.gatheringTime))
    }

    private mutating func request(at now: Instant) -> ApplyRequest? {
        let stack = admission.accepted
        guard stack != inForce, let wanted = try? stack.settings() else { return nil }
        // Without a controller, only settings that do not concern it can be applied.
        guard
            controller.isReady
                || DesiredAdvertising(wanted.advertise) == DesiredAdvertising(settings.advertise)
        else {
            hasChanges = true
            return nil
        }
        lastID &+= 1
        lastRequest = now
        phase = .applying(
            Attempt(
                id: lastID, stack: stack, settings: wanted, deadline: now + Self.answerTimeout))
        return ApplyRequest(id: lastID, settings: wanted)
    }
}

// MARK: - Reports

extension SettingsReconciler {
    /// The layers in force, and the faults of the others. The next report is due after a change.
    package mutating func takeReport(session: String) -> ReportedMessage {
        hasChanges = false
        let errors = admission.errors + controllerErrors
        let isRefused = errors.contains { $0.fault.code == .controllerRefused }
        let isPersisted = if case .saved = persistence { true } else { false }
        return ReportedMessage(
            session: session, versions: inForce.layers.versions,
            digests: inForce.layers.digests, since: saved.since,
            status: isRefused ? .refused : errors.isEmpty ? .applied : .rejected,
            errors: errors, effective: settings.json, radio: controller.reported,
            isPersisted: isPersisted)
    }

    private var saved: DatedLayers { DatedLayers(inForce.layers, since: since) }

    private var controllerErrors: [LayerFault] {
        guard let failure = controller.failure else { return [] }
        let pointer = JSONPointer.root.appending("advertise")
        guard controller.isReady else {
            let fault = Fault(
                pointer, .controllerRefused, "\(failure); tried again when the radio is back")
            return admission.accepted.differences(from: inForce).map {
                LayerFault(
                    layer: $0, version: $0.flatMap { admission.accepted.layers[$0]?.version },
                    fault: fault)
            }
        }
        // The settings are in force, but the controller does not advertise them.
        let layer = Topics.Layer.allCases.last { inForce[$0]?.patch["advertise"] != nil }
        return [
            LayerFault(
                layer: layer, version: layer.flatMap { inForce.layers[$0]?.version },
                fault: Fault(pointer, .controllerRefused, failure))
        ]
    }
}
