import Contract
import JSON
import Logging
import MQTT
import Posix
import Primitives
import Sightings

/// The synchronisation of the configuration layers.
///
/// Documents from the broker go to the reconciler. Its requests go to the radio process, layers in force to the disk, and
/// `config/reported` to the broker.
struct LayerSynchronisation {
    private var reconciler: SettingsReconciler
    /// Where layers are saved; `nil` if there is no state directory.
    private let store: LayerStore?
    private let topics: Topics
    private let session: String
    private let log: Log
    /// Layers that have come into force, for a successor of the uplink.
    private var inForce: DatedLayers?
    /// The broker has not answered the latest `config/reported`. The next one waits for the answer.
    private var isReportUnanswered = false
    /// The faults in the log.
    private var loggedFaults: [LayerFault] = []
    /// Whether the log has the failure to save the layers.
    private var hasLoggedSaveFailure = false

    init(
        _ reconciler: SettingsReconciler, store: LayerStore?, topics: Topics, session: String,
        log: Log
    ) {
        self.reconciler = reconciler
        self.store = store
        self.topics = topics
        self.session = session
        self.log = log
    }

    /// When `tick` is due.
    var deadline: Instant? { reconciler.deadline }

    var settings: GatewaySettings { reconciler.settings }

    // MARK: Documents

    /// A new connection: the layers are reported again.
    ///
    /// - Returns: the topics to subscribe to.
    mutating func connected() -> [String] {
        reconciler.connected()
        return Topics.Layer.allCases.map(topics.desired)
    }

    mutating func connectionLost() { isReportUnanswered = false }

    mutating func received(_ payload: [UInt8], of layer: Topics.Layer, at now: Instant) {
        reconciler.on(payload, of: layer, at: now)
    }

    mutating func receivedOversized(_ layer: Topics.Layer, bytes: Int) {
        reconciler.onOversized(layer, bytes: bytes)
    }

    /// The local file is read again. An unchanged section is reported again; a refused one is tried again.
    mutating func reloaded(_ local: JSON, at now: Instant) { reconciler.on(local: local, at: now) }

    // MARK: The radio

    mutating func on(_ controller: ControllerState, at now: Instant) {
        reconciler.on(controller, at: now)
    }

    /// - Parameter wall: the wall clock; `nil` if it is not set.
    /// - Returns: orders for the radio process.
    mutating func on(
        _ answer: ApplyResult, _ controller: ControllerState, at now: Instant, wall: UnixTime?
    ) -> [ApplyRequest] {
        reconciler.on(controller, at: now)
        return perform(reconciler.on(answer, at: now, wall: wall), at: now)
    }

    /// - Returns: orders for the radio process.
    mutating func tick(at now: Instant) -> [ApplyRequest] {
        perform(reconciler.tick(at: now), at: now)
    }

    private mutating func perform(_ actions: [SettingsReconciler.Action], at now: Instant)
        -> [ApplyRequest]
    {
        var orders: [ApplyRequest] = []
        for action in actions {
            switch action {
            case .apply(let order): orders.append(order)
            case .persist(let layers):
                inForce = layers
                reconciler.persisted(save(layers), at: now)
            }
        }
        return orders
    }

    /// The layers in force after a change, as their file has them.
    mutating func takeLayers() -> [UInt8]? {
        defer { inForce = nil }
        return inForce.map(LayerStore(folder: "", topics: topics).encoded)
    }

    private mutating func save(_ layers: DatedLayers) -> Bool {
        guard let store else { return false }
        do throws(Errno) {
            try store.save(layers)
            hasLoggedSaveFailure = false
            return true
        } catch {
            if !hasLoggedSaveFailure {
                log.error(
                    "can't save the configuration layers: they are lost on exit, retrying",
                    ["file": store.path, "reason": error])
            }
            hasLoggedSaveFailure = true
            return false
        }
    }

    // MARK: Reports

    /// The message `config/reported`, if it is due and the broker has answered the one before.
    mutating func takeReport() -> Outgoing? {
        guard reconciler.isReportDue, !isReportUnanswered else { return nil }
        let report = reconciler.takeReport(session: session)
        log(report.errors)
        isReportUnanswered = true
        return Outgoing(
            .reported, report.encoded, to: topics.topic(.reported), isRetained: true)
    }

    mutating func reportAnswered() { isReportUnanswered = false }

    /// The broker refused the latest report: it is published again.
    mutating func reportRefused() { reconciler.connected() }

    /// Logs new faults once. The radio process logs those of the controller.
    private mutating func log(_ faults: [LayerFault]) {
        let mine = faults.filter { $0.fault.code != .controllerRefused }
        let new = mine.filter { !loggedFaults.contains($0) }
        loggedFaults = mine
        guard let first = new.first else { return }
        guard let layer = first.layer else {
            return log.warning(
                "local configuration conflicts with the layers: the change stays pending",
                ["path": first.fault.pointer, "reason": first.fault.message])
        }
        log.warning(
            "configuration document rejected",
            [
                "layer": layer.rawValue, "version": first.version.map { "\($0)" } ?? "unknown",
                "path": first.fault.pointer, "reason": first.fault.message, "faults": new.count,
            ])
    }
}
