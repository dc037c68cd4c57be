import Contract
import JSON
import Radio

/// A new document of a layer, or its removal.
struct LayerChange: Equatable, Sendable {
    /// `nil` is the local file.
    let layer: Topics.Layer?
    /// `nil` removes the document.
    let document: LayerDocument?
    /// The conflicts with the accepted documents.
    var faults: [Fault] = []

    /// The version that reports show; the local file has none.
    var version: Int64? { layer == nil ? nil : document?.version }
}

/// Decides which layer documents the controller gets to try.
///
/// A document is *pending* while it conflicts with the accepted documents, and *accepted* as soon as the merged settings
/// are valid. After the controller refuses several documents together, each of them is tried alone.
struct LayerAdmission: Sendable {
    /// The documents of a joint refusal that still have to be tried alone.
    private struct Trial: Sendable {
        let refusal: AdvertisingRefusal
        var queue: [LayerChange]
    }

    private(set) var accepted: LayerStack
    /// In the order of their arrival; at most one for each layer.
    private var pending: [LayerChange] = []
    /// While a trial runs, no other document is accepted.
    private var trial: Trial?
    /// The documents that the controller refused. A later document of another layer can make them acceptable.
    private var refused: [LayerChange] = []
    /// The faults of each layer's latest document: invalid by itself, or refused by the controller.
    private var faults: [Topics.Layer?: [LayerFault]] = [:]

    /// - Parameters:
    ///   - local: the local file's sections, which are valid without the other layers.
    ///   - restored: the documents that were in force when the agent ended.
    init(local: JSON, restored: Layers) {
        accepted = LayerStack(local: local)
        pending = Topics.Layer.allCases.compactMap { layer in
            restored[layer].map { LayerChange(layer: layer, document: $0) }
        }
        acceptPending()
    }

    /// The faults of all documents that are not accepted, from the lowest layer to the highest.
    var errors: [LayerFault] {
        LayerStack.order.flatMap { faults[$0] ?? [] }
            + pending.flatMap { change in
                change.faults.map {
                    LayerFault(layer: change.layer, version: change.version, fault: $0)
                }
            }
    }

    /// Takes a change; returns `false` for a version that can't follow, or if the document to remove is missing.
    mutating func receive(_ change: LayerChange) -> Bool {
        let layer = change.layer
        discard(layer)
        let tried = trial?.queue.first { $0.layer == layer }
        let current = tried?.document ?? accepted[layer]
        if let document = change.document {
            if let layer, let current {
                if let fault = document.faultOfVersion(after: current) {
                    reject(layer, document.version, [fault])
                }
                guard document.canFollow(current) else { return false }
            } else if let layer, let fault = document.faultOfFirstVersion {
                reject(layer, document.version, [fault])
                return false
            } else {
                guard document != current else { return false }
            }
        } else if current == nil, tried == nil {
            return false
        }
        trial?.queue.removeAll { $0.layer == layer }
        for change in refused { faults[change.layer] = nil }
        pending += refused + [change]
        refused = []
        acceptPending()
        return true
    }

    /// Notes the faults of a document that is invalid by itself.
    mutating func reject(_ layer: Topics.Layer, _ version: Int64?, _ list: [Fault]) {
        discard(layer)
        faults[layer] = list.map { LayerFault(layer: layer, version: version, fault: $0) }
    }

    /// Returns to the documents in force, after the controller refused `tried`. Later documents are considered again.
    mutating func refuse(
        _ tried: LayerStack, _ refusal: AdvertisingRefusal, inForce: LayerStack
    ) {
        let later = accepted.differences(from: tried)
        let suspects = tried.differences(from: inForce).filter { !later.contains($0) }
            .map { LayerChange(layer: $0, document: tried[$0]) }
        pending.removeAll { later.contains($0.layer) }
        pending.insert(
            contentsOf: later.map { LayerChange(layer: $0, document: accepted[$0]) }, at: 0)
        accepted = inForce
        if suspects.count > 1 {
            trial = Trial(refusal: refusal, queue: suspects)
        } else {
            suspects.forEach { blame($0, refusal) }
        }
    }

    /// Accepts the next document of a trial, or all pending documents.
    mutating func advance(inForce: LayerStack) {
        while let trial, accepted == inForce {
            guard let change = trial.queue.first else {
                self.trial = nil
                break
            }
            self.trial?.queue.removeFirst()
            if conflicts(of: [change]).isEmpty {
                accepted[change.layer] = change.document
            } else {
                blame(change, trial.refusal)
            }
        }
        acceptPending()
    }

    /// Forgets the layer's earlier document, unless it is accepted or tried.
    private mutating func discard(_ layer: Topics.Layer?) {
        faults[layer] = nil
        pending.removeAll { $0.layer == layer }
        refused.removeAll { $0.layer == layer }
    }

    private mutating func blame(_ change: LayerChange, _ refusal: AdvertisingRefusal) {
        let section = JSONPointer.root.appending("advertise")
        let pointer = refusal.concernsInterval ? section.appending("intervalMs") : section
        refused.append(change)
        faults[change.layer] = [
            LayerFault(
                layer: change.layer, version: change.version,
                fault: Fault(pointer, .controllerRefused, refusal.sentence))
        ]
    }

    /// Accepts all pending changes that form valid settings: the smallest groups first, then the earliest.
    private mutating func acceptPending() {
        guard trial == nil else { return }
        while acceptSmallestGroup() {}
        for index in pending.indices { pending[index].faults = conflicts(of: [pending[index]]) }
    }

    private mutating func acceptSmallestGroup() -> Bool {
        for size in pending.indices.map({ $0 + 1 }) {
            for group in pending.combinations(of: size) where conflicts(of: group).isEmpty {
                for change in group { accepted[change.layer] = change.document }
                pending.removeAll { change in group.contains { $0.layer == change.layer } }
                return true
            }
        }
        return false
    }

    /// The faults of the settings that changes and accepted documents have together.
    private func conflicts(of changes: [LayerChange]) -> [Fault] {
        var stack = accepted
        for change in changes { stack[change.layer] = change.document }
        do throws(Faults) {
            _ = try stack.settings()
            return []
        } catch {
            return error.list
        }
    }
}

extension LayerDocument {
    /// Whether the version follows that of the layer's present document.
    fileprivate func canFollow(_ present: LayerDocument) -> Bool {
        version > present.version && version - present.version <= Self.largestVersionStep
    }

    /// The fault of a first version that leaves no room for later ones.
    fileprivate var faultOfFirstVersion: Fault? {
        let highest = Self.versions.upperBound - Self.largestVersionStep
        guard version > highest else { return nil }
        return Fault(
            JSONPointer.root.appending("version"), .outOfRange,
            "the first version of a layer must be at most \(highest), not \(version):"
                + " use tune --reset-versions")
    }

    /// The fault of a version that equals the present one but has other content, or that is far above it. A lower version
    /// is no fault: a broker may deliver an old document.
    fileprivate func faultOfVersion(after present: LayerDocument) -> Fault? {
        let pointer = JSONPointer.root.appending("version")
        if version == present.version, digest != present.digest {
            return Fault(
                pointer, .conflictingVersion,
                "the gateway has another document of version \(version): publish a higher version")
        }
        guard version > present.version, !canFollow(present) else { return nil }
        return Fault(
            pointer, .outOfRange,
            "version must be at most \(present.version + Self.largestVersionStep),"
                + " \(Self.largestVersionStep) above the present one, not \(version)")
    }
}

extension Array {
    /// All groups of `size` elements, each in the order of the array.
    fileprivate func combinations(of size: Int) -> [[Element]] {
        guard size > 0 else { return [[]] }
        return indices.flatMap { index in
            Array(self[(index + 1)...]).combinations(of: size - 1).map { [self[index]] + $0 }
        }
    }
}
