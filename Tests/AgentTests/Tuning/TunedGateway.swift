import Contract
import HCI
import JSON
import Logging
import Primitives
import Sightings
import SimulatedRadio
import VirtualRadio

@testable import Agent
@testable import Radio

/// All of a gateway but sockets, disk and clock: reconciler, supervisor, and a strict controller, in one thread.
final class TunedGateway {
    private(set) var now = Instant(microseconds: 1_000_000)
    private(set) var reconciler: SettingsReconciler
    let transport: SimulatedTransport
    private var supervisor: RadioSupervisor?
    private(set) var batches: [Batch] = []
    /// The saved layers.
    private(set) var disk: DatedLayers
    private(set) var saves = 0
    private(set) var orders: [Instant] = []
    private(set) var openings = 0
    /// Why the radio can't be opened.
    var failure: RadioFailure?
    /// The wall clock; `nil` until it is set.
    var wall: UnixTime?
    /// Whether saving succeeds.
    var diskWorks = true
    private var sentState = ControllerState()

    static let source = ControllerSource.raw(device: 0)

    init(
        local: JSON = .object([]), restored: DatedLayers = DatedLayers(),
        family: CommandFamily = .legacy,
        version: SimulatedController.CoreVersion = .bluetooth50,
        isExclusive: Bool = true
    ) throws {
        disk = restored
        reconciler = SettingsReconciler(
            local: local, settings: try GatewaySettings(merged: local), restored: restored)
        transport = SimulatedTransport(
            family: family, version: version, isExclusive: isExclusive)
        supervisor = RadioSupervisor(
            settings: reconciler.settings, maxIdentities: 1000, log: Log(level: .silent), at: now,
            open: { [unowned self] desired, now throws(RadioFailure) in
                openings += 1
                if let failure { throw failure }
                return try LiveRadio(
                    transport, source: Self.source, advertising: desired, at: now)
            },
            answer: { [unowned self] answer, controller in
                reconciler.on(controller, at: now)
                carryOut(reconciler.on(answer, at: now, wall: wall))
            },
            emit: { [unowned self] batch, _ in batches.append(batch) })
    }

    /// The controller's advertising.
    var onAir: OnAir? { transport.controller.onAir.first }

    var report: ReportedMessage {
        var reconciler = reconciler
        return reconciler.takeReport(session: "s")
    }

    /// Delivers a layer's message.
    func receive(_ payload: [UInt8], of layer: Topics.Layer) {
        reconciler.on(payload, of: layer, at: now)
    }

    func receive(_ text: String, of layer: Topics.Layer) { receive(Array(text.utf8), of: layer) }

    func receiveOversized(_ layer: Topics.Layer, bytes: Int) {
        reconciler.onOversized(layer, bytes: bytes)
    }

    /// Reloads the local file.
    func reload(_ local: JSON) { reconciler.on(local: local, at: now) }

    func misbehave(_ kind: Misbehaviour.Kind) {
        transport.controller.misbehave(kind, at: now)
    }

    /// Takes the radio away, or returns it.
    func lose(_ failure: RadioFailure?) {
        self.failure = failure
        transport.failure = failure
    }

    /// Takes the report, as a publication does.
    func takeReport() { _ = reconciler.takeReport(session: "s") }

    /// Advances the time, with one step each millisecond.
    func run(milliseconds: Int) {
        for _ in 0..<milliseconds {
            now = now.advanced(byMicroseconds: 1000)
            step()
        }
    }

    /// Advances the time until all pending work is done.
    func settle() { run(milliseconds: 6000) }

    private func step() {
        transport.now = now
        carryOut(reconciler.tick(at: now))
        _ = attempt { supervisor throws(RadioFailure) in try supervisor.update(at: now) }
        guard let supervisor, supervisor.controllerState != sentState else { return }
        sentState = supervisor.controllerState
        reconciler.on(sentState, at: now)
    }

    private func carryOut(_ actions: [SettingsReconciler.Action]) {
        for action in actions {
            switch action {
            case .apply(let order):
                orders.append(now)
                _ = attempt { supervisor throws(RadioFailure) in
                    try supervisor.apply(order, at: now)
                }
            case .persist(let layers):
                if diskWorks {
                    disk = layers
                    saves += 1
                }
                reconciler.persisted(diskWorks, at: now)
            }
        }
    }

    private func attempt(_ body: (RadioSupervisor) throws(RadioFailure) -> Void) -> RadioFailure? {
        guard let supervisor else { return nil }
        do throws(RadioFailure) { try body(supervisor) } catch { return error }
        return nil
    }
}
