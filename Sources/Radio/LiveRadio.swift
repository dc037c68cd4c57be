import Beacon
import HCI
import Posix

/// A controller that is being listened to: its transport, and the dialogue with it.
package final class LiveRadio {
    /// What a visit to the radio brought.
    package enum Change: Equatable, Sendable {
        case hearing
        case deaf
    }

    private let source: ControllerSource
    private let transport: any Transport
    private var controller: Controller
    private var drops: Int

    /// Opens the source and begins the dialogue.
    package convenience init(_ source: ControllerSource, at now: Instant) throws(RadioFailure) {
        let transport: any Transport =
            switch source {
            case .raw(let device): try KernelTransport(device: device, exclusive: false)
            case .user(let device): try KernelTransport(device: device, exclusive: true)
            case .h4(let address): try StreamTransport(connectingTo: address)
            case .stream: throw RadioFailure.system(.invalidArgument, source)
            }
        try self.init(transport, source: source, at: now)
    }

    /// Begins the dialogue over a transport that is open already.
    package init(
        _ transport: any Transport, source: ControllerSource, at now: Instant
    ) throws(RadioFailure) {
        self.source = source
        self.transport = transport
        controller = Controller(isExclusive: transport.isExclusive)
        drops = transport.drops
        for command in Self.carryOut(controller.start(at: now), { _ in }) {
            try transport.send(command)
        }
    }

    /// To wait on for reading.
    package var descriptors: [CInt] { transport.descriptors }

    /// When `visit` is wanted even if nothing comes.
    package var deadline: Instant? { controller.deadline }

    package var family: CommandFamily? { controller.family }

    /// How often another program or the kernel has changed the scan.
    package var interferences: Int { controller.interferences }

    /// Reads what has come, in its order: advertising events go to `heard`, the rest to the dialogue, whose
    /// turns go to `changed`.
    package func visit(
        at now: Instant, heard: (_ event: Bytes) -> Void, changed: (Change) -> Void
    ) throws(RadioFailure) {
        var fault: Controller.Fault?
        var commands: [Command] = []
        try transport.receive { packet in
            do throws(Event.Malformed) {
                let event = try Event(packet)
                guard event != .advertisingReports else { return heard(packet) }
                do throws(Controller.Fault) {
                    commands += Self.carryOut(try controller.on(event, packet, at: now), changed)
                } catch {
                    fault = fault ?? error
                }
            } catch {
                // An event too short to be one answers nothing; its command will time out.
            }
        }
        do throws(Controller.Fault) {
            if let fault { throw fault }
            commands += Self.carryOut(try controller.tick(at: now), changed)
        } catch {
            throw failure(error)
        }
        for command in commands { try transport.send(command) }
    }

    /// Packets lost before they could be read, since this was last asked.
    package func takeDrops() -> Int {
        let total = transport.drops
        // The kernel counts in 32 bits, and begins anew with each socket.
        defer { drops = total }
        return max(0, total - drops)
    }

    /// Leaves the controller quiet; failures no longer matter.
    package func stop() {
        for command in controller.farewell {
            do throws(RadioFailure) { try transport.send(command) } catch { return }
        }
    }

    private static func carryOut(
        _ actions: [Controller.Action], _ changed: (Change) -> Void
    ) -> [Command] {
        actions.compactMap { action in
            switch action {
            case .send(let command): return command
            case .hearing: changed(.hearing)
            case .deaf: changed(.deaf)
            }
            return nil
        }
    }

    private func failure(_ fault: Controller.Fault) -> RadioFailure {
        switch fault {
        case .timedOut(let opcode):
            RadioFailure(
                .timedOut(opcode), source,
                "the controller did not answer \(opcode) within 2 s: reset or replug the adapter")
        case .refused(let opcode, .commandDisallowed):
            RadioFailure(
                .refused(opcode, .commandDisallowed), source,
                "the controller refused \(opcode) with \(Status.commandDisallowed): another program drives it; stop that (bluetoothd?) or use the user channel"
            )
        case .refused(let opcode, let status):
            RadioFailure(
                .refused(opcode, status), source, "the controller refused \(opcode) with \(status)")
        case .hardwareError(let code):
            RadioFailure(
                .hardwareError(code), source,
                "the controller reports hardware error \(code): if it happens again, replace the adapter"
            )
        }
    }
}
