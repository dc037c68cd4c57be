import Beacons
import HCI
import Posix
import Primitives

/// A controller that is being listened to: its transport, and the dialogue with it.
package final class LiveRadio {
    /// What a visit to the radio brought.
    package enum Change: Equatable, Sendable {
        case hearing
        case deaf
        /// The answer to the latest wish: one for each that no newer one has overtaken.
        case advertised(AdvertisingOutcome)
        /// What is on the air has changed without a wish: another program took it, or it is back.
        case advertisingChanged
        /// The controller has answered the probe.
        case answered
        /// It has not.
        case unanswered
    }

    private let source: ControllerSource
    private let transport: any Transport
    private var controller: Controller
    private var drops: Int

    /// For the answer to each of the last commands, in microseconds.
    private static let farewellPatience: Int64 = 200_000

    /// Opens the source and begins the dialogue.
    ///
    /// - Parameter advertising: a wish like those of `advertise`, for when the scan is on.
    package convenience init(
        _ source: ControllerSource, advertising: DesiredAdvertising = .untouched, at now: Instant
    ) throws(RadioFailure) {
        let transport: any Transport =
            switch source {
            case .raw(let device): try KernelTransport(device: device, exclusive: false)
            case .user(let device): try KernelTransport(device: device, exclusive: true)
            case .h4(let address): try StreamTransport(connectingTo: address)
            case .stream: throw RadioFailure.system(.invalidArgument, source)
            }
        try self.init(transport, source: source, advertising: advertising, at: now)
    }

    /// Begins the dialogue over a transport that is open already.
    package init(
        _ transport: any Transport, source: ControllerSource,
        advertising: DesiredAdvertising = .untouched, at now: Instant
    ) throws(RadioFailure) {
        self.source = source
        self.transport = transport
        controller = Controller(isExclusive: transport.isExclusive, advertising: advertising)
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

    /// Whether the controller says that it can scan while it advertises; see `Capabilities`.
    package var canScanWhileAdvertising: Bool { controller.capabilities.canScanWhileAdvertising }

    /// How often another program or the kernel has changed the scan or the advertising.
    package var interferences: Int { controller.interferences }

    /// What is on the air, as far as the controller's answers say.
    package var advertising: AdvertisingState { controller.advertising }

    /// The address that the controller advertises from; `nil` while it has not said.
    package var ownAddress: DeviceAddress? { controller.capabilities.ownAddress }

    /// Puts something else on the air, or nothing; scanning goes on meanwhile.
    ///
    /// A wish takes the place of one that is not answered yet. `.advertised` says later what came of it, or at once when
    /// it is so already. A refused wish leaves on the air what was there before.
    package func advertise(
        _ wish: DesiredAdvertising, at now: Instant, changed: (Change) -> Void
    ) throws(RadioFailure) {
        for command in Self.carryOut(controller.advertise(wish, at: now), changed) {
            try transport.send(command)
        }
    }

    /// Asks the controller whether it is there; `.answered` or `.unanswered` says so, unless `.hearing` does.
    package func probe(at now: Instant, changed: (Change) -> Void) throws(RadioFailure) {
        for command in Self.carryOut(controller.probe(at: now), changed) {
            try transport.send(command)
        }
    }

    /// Switches the scan off and on.
    package func rescan(at now: Instant, changed: (Change) -> Void) throws(RadioFailure) {
        for command in Self.carryOut(controller.rescan(at: now), changed) {
            try transport.send(command)
        }
    }

    /// Asks a controller that is shared for its events anew, and switches the scan off and on.
    package func unmask(at now: Instant, changed: (Change) -> Void) throws(RadioFailure) {
        for command in Self.carryOut(controller.unmask(at: now), changed) {
            try transport.send(command)
        }
    }

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
    ///
    /// - Parameter keepingAdvertising: whether what is on the air is to stay there.
    package func stop(keepingAdvertising: Bool = false) {
        for command in controller.farewell(keepingAdvertising: keepingAdvertising) {
            do throws(RadioFailure) {
                try transport.send(command)
                // A controller takes one command at a time; on a shared one, the kernel sees to that.
                if transport.isExclusive { try awaitAnswer(to: command.opcode) }
            } catch {
                return
            }
        }
    }

    /// Waits until a command is answered, but not for long: who leaves is waited for, too.
    private func awaitAnswer(to wanted: Opcode) throws(RadioFailure) {
        let interests = transport.descriptors.map { Poll.Interest($0) }
        let deadline = Clocks.boot + Self.farewellPatience
        var isAnswered = interests.isEmpty
        while !isAnswered, Clocks.boot < deadline {
            let milliseconds = Int(deadline - Clocks.boot) / 1000 + 1
            do throws(Errno) { _ = try Poll.wait(for: interests, timeout: milliseconds) } catch {
                throw RadioFailure.system(error, source)
            }
            try transport.receive { packet in
                switch try? Event(packet) {
                case .commandComplete(wanted, _, _), .commandStatus(wanted, _, _): isAnswered = true
                default: break
                }
            }
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
            case .advertised(let outcome): changed(.advertised(outcome))
            case .advertisingChanged: changed(.advertisingChanged)
            case .answered: changed(.answered)
            case .unanswered: changed(.unanswered)
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
