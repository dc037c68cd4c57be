import Contract
import JSON
import Primitives
import Radio

/// Decides what is in force: takes the layers' documents as they come, and the local file when it is read again, has the
/// radio try what makes sense together, and keeps what worked.
///
/// A value without clock, disk or socket. A document goes through three stations: *held* while it makes no sense with the
/// others, *accepted* once it does, *in force* when the radio has taken it.
package struct SettingsReconciler: Sendable {
    package enum Action: Equatable, Sendable {
        /// To the radio; it answers with the same number.
        case order(ApplyRequest)
        /// To the disk; `persisted` tells how that went.
        case persist(Layers)
    }

    /// What somebody asked of a layer: a document, or `nil` for none.
    struct Wish: Equatable, Sendable {
        /// `nil` for the local file.
        let layer: Topics.Layer?
        let document: LayerDocument?
        /// Why it makes no sense with what is accepted.
        var faults: [Fault] = []

        /// As it is told; `nil` where there is none.
        var version: Int64? { layer == nil ? nil : document?.version }
    }

    struct Attempt: Sendable {
        let id: UInt64
        let stack: LayerStack
        let settings: GatewaySettings
        /// When it counts as never made.
        let deadline: Instant
    }

    /// What a radio may take to answer, in microseconds: ten commands that are answered at the last moment.
    package static let answerTime: Int64 = 30_000_000
    /// Between two orders, in microseconds: a flood of documents is not a flood of retunes.
    package static let orderInterval: Int64 = 1_000_000
    /// From the first change to the order, in microseconds: what comes together is tried together, such as the three
    /// retained documents after a connection.
    package static let gatheringTime: Int64 = 100_000
    /// Between two attempts to save what could not be saved, in microseconds.
    package static let saveInterval: Int64 = 60_000_000

    package private(set) var inForce: LayerStack
    /// What `inForce` comes to.
    package private(set) var settings: GatewaySettings
    var accepted: LayerStack
    /// In the order in which they came; one for each layer at most.
    var held: [Wish] = []
    /// After a joint refusal, the controller's reason, and what is tried one by one: one culprit must not cost the others
    /// their due. Meanwhile nothing else is accepted.
    var trial: (reason: AdvertisingRefusal, queue: [Wish])?
    /// What the controller refused; another layer's document may make it possible, as it would have, had it come first.
    var refusedWishes: [Wish] = []
    /// Of each layer, why its latest document was not taken, where it is wrong by itself or was refused.
    var faults: [Topics.Layer?: [LayerFault]] = [:]
    var attempt: Attempt?
    var lastID: UInt64 = 0
    var orderDue: Instant?
    var lastOrder: Instant?
    private var saveDue: Instant?
    var standing = ControllerState()
    var isPersisted = true
    /// Something that `report` says has changed, or it is to be said again.
    var hasNews = true
    /// Whether to report; while the radio is at it, nobody knows what is in force.
    package var isReportDue: Bool { hasNews && attempt == nil }

    /// - Parameters:
    ///   - local: the local file's sections, which make sense by themselves and come to `settings`.
    ///   - restored: the layers that were in force when the agent ended, which the radio will begin with.
    package init(local: JSON, settings: GatewaySettings, restored: Layers = Layers()) {
        inForce = LayerStack(local: local)
        accepted = inForce
        self.settings = settings
        for layer in Topics.Layer.allCases {
            if let document = restored[layer] {
                held.append(Wish(layer: layer, document: document))
            }
        }
        settle()
        inForce = accepted
        self.settings = (try? accepted.settings()) ?? settings
    }

    /// When `tick` is wanted at the latest.
    package var deadline: Instant? {
        [orderDue, saveDue, attempt?.deadline].compactMap(\.self).min()
    }

    // MARK: What happens

    /// A layer's message came: a document, or nothing for the layer's removal.
    package mutating func on(_ payload: [UInt8], of layer: Topics.Layer, at now: Instant) {
        guard !payload.isEmpty else { return wish(Wish(layer: layer, document: nil), at: now) }
        do throws(Faults) {
            wish(Wish(layer: layer, document: try LayerDocument(parsing: payload)), at: now)
        } catch {
            reject(layer, LayerDocument.claimedVersion(in: payload), error.list)
        }
    }

    /// A layer's message was too large to be read.
    package mutating func onOversized(_ layer: Topics.Layer, bytes: Int) {
        let sentence =
            "the document has \(bytes) bytes, more than the \(LayerDocument.maxBytes) that are read"
        reject(layer, nil, [Fault(.root, .tooLarge, sentence)])
    }

    /// The local file was read again, and has these sections.
    package mutating func on(local: JSON, at now: Instant) {
        wish(Wish(layer: nil, document: LayerStack.document(local)), at: now)
    }

    /// There is a new connection: whoever is behind it is to know.
    package mutating func connected() { hasNews = true }

    package mutating func on(_ standing: ControllerState, at now: Instant) {
        guard standing != self.standing else { return }
        self.standing = standing
        hasNews = true
        scheduleOrder(at: now)
    }

    /// The radio answered an order.
    package mutating func on(_ answer: ApplyResult, at now: Instant) -> [Action] {
        guard let attempt, attempt.id == answer.id else { return [] }
        self.attempt = nil
        hasNews = true
        var actions: [Action] = []
        switch answer.outcome {
        case .applied:
            // A new local file is saved where it is.
            if attempt.stack.layers != inForce.layers { actions = [.persist(attempt.stack.layers)] }
            inForce = attempt.stack
            settings = attempt.settings
            tryNext()
        case .refused(let refusal):
            refused(attempt.stack, refusal)
            tryNext()
        case .postponed: break
        }
        scheduleOrder(at: now)
        return actions
    }

    /// How the saving went.
    package mutating func persisted(_ success: Bool, at now: Instant) {
        isPersisted = success
        saveDue = success ? nil : now.advanced(byMicroseconds: Self.saveInterval)
        hasNews = true
    }

    /// Time has passed.
    package mutating func tick(at now: Instant) -> [Action] {
        var actions: [Action] = []
        if let due = saveDue, due <= now {
            saveDue = nil
            actions.append(.persist(inForce.layers))
        }
        if let deadline = attempt?.deadline, deadline <= now {
            attempt = nil
            scheduleOrder(at: now)
        }
        if let due = orderDue, due <= now {
            orderDue = nil
            if let order = order(at: now) { actions.append(.order(order)) }
        }
        return actions
    }
}

// MARK: - What is accepted

extension SettingsReconciler {
    private mutating func wish(_ wish: Wish, at now: Instant) {
        let layer = wish.layer
        // What is accepted is reported when the radio has answered.
        defer { if accepted[layer] != wish.document || accepted == inForce { hasNews = true } }
        // Whatever came before and was not taken is no longer asked.
        faults[layer] = nil
        held.removeAll { $0.layer == layer }
        refusedWishes.removeAll { $0.layer == layer }
        let isTried = trial?.queue.contains { $0.layer == layer } ?? false
        let standing = trial?.queue.first { $0.layer == layer }?.document ?? accepted[layer]
        if let document = wish.document {
            let isNew =
                layer == nil ? document != standing : document.version > standing?.version ?? 0
            guard isNew else { return }
        } else if standing == nil, !isTried {
            return
        }
        trial?.queue.removeAll { $0.layer == layer }
        for wish in refusedWishes { faults[wish.layer] = nil }
        held += refusedWishes + [wish]
        refusedWishes = []
        settle()
        scheduleOrder(at: now)
    }

    private mutating func reject(
        _ layer: Topics.Layer, _ version: Int64?, _ list: [Fault]
    ) {
        hasNews = true
        held.removeAll { $0.layer == layer }
        refusedWishes.removeAll { $0.layer == layer }
        faults[layer] = list.map { LayerFault(layer: layer, version: version, fault: $0) }
    }

    /// Accepts as many of the wishes held as make sense, the fewest together and the earliest first.
    mutating func settle() {
        guard trial == nil else { return }
        while acceptOnce() {}
        for index in held.indices {
            held[index].faults = faults(of: [held[index]])
        }
    }

    private mutating func acceptOnce() -> Bool {
        for size in held.indices.map({ $0 + 1 }) {
            for group in held.combinations(of: size) where faults(of: group).isEmpty {
                for wish in group { accepted[wish.layer] = wish.document }
                held.removeAll { wish in group.contains { $0.layer == wish.layer } }
                return true
            }
        }
        return false
    }

    /// Why wishes make no sense together with what is accepted.
    func faults(of wishes: [Wish]) -> [Fault] {
        var stack = accepted
        for wish in wishes { stack[wish.layer] = wish.document }
        do throws(Faults) {
            _ = try stack.settings()
            return []
        } catch {
            return error.list
        }
    }
}
