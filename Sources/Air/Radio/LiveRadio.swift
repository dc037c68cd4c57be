import Beacons
import HCI
import Posix
import Primitives

/// An open radio: a transport to a controller, and the state machine that drives it.
package final class LiveRadio {
    private let source: ControllerSource
    package let timing: ScanTiming
    private let transport: any Transport
    private var controller: Controller { didSet { deadline = controller.deadline } }
    /// When `receive` is due, even without input. Stored: a class copies a whole value to call its property, and the loop
    /// asks at each wake-up.
    package private(set) var deadline: Instant?
    private var drops: Int

    /// The time for the answer to each command of `stop`.
    private static let stopTimeout: Duration = .milliseconds(200)

    /// Opens the source and starts the setup.
    ///
    /// - Parameters:
    ///   - advertising: the advertising that starts after the scan, as in `advertise`.
    ///   - randomAddress: the address that stands for a public one, if the controller has none.
    ///   - lookup: resolves the name of the source; the same one for each attempt.
    package convenience init(
        _ source: ControllerSource, timing: ScanTiming = .continuous,
        advertising: DesiredAdvertising = .untouched, randomAddress: DeviceAddress,
        lookup: HostLookup = HostLookup(), at now: Instant
    ) throws(RadioFailure) {
        let transport: any Transport =
            switch source {
            case .raw(let device): try KernelTransport(device: device, exclusive: false)
            case .user(let device): try KernelTransport(device: device, exclusive: true)
            case .h4(let address): try StreamTransport(connectingTo: address, lookup: lookup)
            }
        try self.init(
            transport, source: source, timing: timing, advertising: advertising,
            randomAddress: randomAddress, at: now)
    }

    /// Starts the setup over an open transport.
    package init(
        _ transport: any Transport, source: ControllerSource, timing: ScanTiming = .continuous,
        advertising: DesiredAdvertising = .untouched, randomAddress: DeviceAddress? = nil,
        at now: Instant
    ) throws(RadioFailure) {
        self.source = source
        self.transport = transport
        self.timing = timing
        controller = Controller(
            isExclusive: transport.isExclusive, timing: timing, advertising: advertising,
            randomAddress: randomAddress)
        drops = transport.drops
        let commands = controller.start(at: now)
        // An initialiser runs no observer.
        deadline = controller.deadline
        try perform(commands) { _ in }
    }

    /// The descriptors that become readable when `receive` has input.
    package var descriptors: [CInt] { transport.descriptors }

    /// Those of them that no report makes readable.
    package var dialogueDescriptors: [CInt] { transport.dialogueDescriptors }

    package var family: CommandFamily? { controller.family }

    package var isScanning: Bool { controller.isScanning }

    /// Whether the controller reports that it can scan while it advertises; see `Capabilities`.
    package var canScanWhileAdvertising: Bool { controller.capabilities.canScanWhileAdvertising }

    /// How often another program or the kernel has changed the scan or the advertising.
    package var interferences: Int { controller.interferences }

    /// The current advertising, according to the controller's answers.
    package var advertising: AdvertisingState { controller.advertising }

    /// The address that the controller advertises from; `nil` until it is known, and without any.
    package var ownAddress: DeviceAddress? { controller.capabilities.ownAddress }

    /// Changes the advertising while the scan goes on.
    ///
    /// A request replaces an unfinished one. The notice `advertised` reports the result, immediately if there is nothing
    /// to change. After a refusal, the former advertising stays.
    package func advertise(
        _ desired: DesiredAdvertising, at now: Instant, notify: (Controller.Notice) -> Void
    ) throws(RadioFailure) {
        try perform(controller.advertise(desired, at: now), notify)
    }

    /// Checks that the controller answers. The notice `probeAnswered` or `probeTimedOut` follows, unless `scanStarted`
    /// comes first.
    package func probe(
        at now: Instant, notify: (Controller.Notice) -> Void
    ) throws(RadioFailure) {
        try perform(controller.probe(at: now), notify)
    }

    /// Switches the scan off and on.
    package func rescan(
        at now: Instant, notify: (Controller.Notice) -> Void
    ) throws(RadioFailure) {
        try perform(controller.rescan(at: now), notify)
    }

    /// Sets the event masks of a shared controller, and switches the scan off and on.
    package func unmaskEvents(
        at now: Instant, notify: (Controller.Notice) -> Void
    ) throws(RadioFailure) {
        try perform(controller.unmaskEvents(at: now), notify)
    }

    /// Receives an event with advertising reports, and its arrival on the wall clock if `stampsArrivals`.
    package typealias ReportHandler =
        (_ reports: AdvertisingReports, _ event: Bytes, _ arrival: Instant?) -> Void

    /// Reads all input in its order. Events with advertising reports go to `report`, other events to the controller's
    /// state machine, and its notices to `notify`.
    ///
    /// - Parameter isDue: `false` if the deadline has not come.
    /// - Returns: whether only reports came.
    @discardableResult
    package func receive(
        at now: Instant, isDue: Bool = true,
        report: ReportHandler, notify: (Controller.Notice) -> Void
    ) throws(RadioFailure) -> Bool {
        var input = Input()
        input.isDrained = try transport.receive { type, packet, arrival in
            if let reports = read(type, packet, at: now, into: &input, notify) {
                report(reports, packet, arrival)
            }
        }
        if isDue || input.hasDialogue { try finish(input, at: now, notify) }
        return !input.hasDialogue
    }

    /// Whether each event comes with its arrival.
    package var stampsArrivals: Bool { transport.stampsArrivals }

    /// Reads everything that is queued.
    ///
    /// - Returns: the notices, which are younger than all reports.
    package func drain(
        at now: Instant, report: ReportHandler
    ) throws(RadioFailure) -> [Controller.Notice] {
        var input = Input()
        var notices: [Controller.Notice] = []
        input.isDrained = try transport.drain { type, packet, arrival in
            if let reports = read(type, packet, at: now, into: &input, { notices.append($0) }) {
                report(reports, packet, arrival)
            }
        }
        try finish(input, at: now) { notices.append($0) }
        return notices
    }

    /// The consequences of input: commands to send, and the first fault.
    private struct Input {
        var fault: Controller.Fault?
        var commands: [HCICommand] = []
        /// Whether the state machine received something.
        var hasDialogue = false
        /// Whether no input is left.
        var isDrained = true
    }

    /// Returns the advertising reports of an event; hands any other packet to the controller's state machine.
    private func read(
        _ type: H4.PacketType, _ packet: Bytes, at now: Instant, into input: inout Input,
        _ notify: (Controller.Notice) -> Void
    ) -> AdvertisingReports? {
        guard type == .event else {
            input.hasDialogue = true
            if let command = HCICommand(packet) { controller.overheard(command, at: now) }
            return nil
        }
        let event: Event
        // A truncated event answers no command, which times out.
        do throws(Event.Malformed) { event = try Event(packet) } catch { return nil }
        if case .advertisingReports(let reports) = event { return reports }
        input.hasDialogue = true
        do throws(Controller.Fault) {
            input.commands += Self.split(try controller.on(event, packet, at: now), notify)
        } catch {
            input.fault = input.fault ?? error
        }
        return nil
    }

    private func finish(
        _ input: Input, at now: Instant, _ notify: (Controller.Notice) -> Void
    ) throws(RadioFailure) {
        var commands = input.commands
        do throws(Controller.Fault) {
            if let fault = input.fault { throw fault }
            // The answer to a command that seems to have timed out may follow in the input that is left.
            controller.measure(at: now, temperature: Thermometer.temperature)
            if input.isDrained { commands += Self.split(try controller.tick(at: now), notify) }
        } catch {
            throw RadioFailure(error, source)
        }
        for command in commands { try transport.send(command) }
    }

    /// The number of packets that the kernel has dropped since the last call.
    package func takeDrops() -> Int {
        let total = transport.drops
        // The kernel counts in 32 bits, and from zero for each socket.
        defer { drops = total }
        return max(0, total - drops)
    }

    /// Stops the scan, and ignores failures.
    ///
    /// - Parameter keepingAdvertising: whether the advertising goes on.
    package func stop(keepingAdvertising: Bool = false) {
        for command in controller.stopCommands(keepingAdvertising: keepingAdvertising) {
            do throws(RadioFailure) {
                try transport.send(command)
                // A controller takes one command at a time. For a shared one, the kernel keeps the queue.
                if transport.isExclusive { try awaitAnswer(to: command.opcode) }
            } catch {
                return
            }
        }
    }

    private func awaitAnswer(to opcode: Opcode) throws(RadioFailure) {
        let interests = transport.descriptors.map { Poll.Interest($0) }
        let deadline = Instant.now + Self.stopTimeout
        var isAnswered = interests.isEmpty
        while !isAnswered, Instant.now < deadline {
            let milliseconds = Int((deadline - Instant.now).milliseconds) + 1
            do throws(Errno) { _ = try Poll.wait(for: interests, timeout: milliseconds) } catch {
                throw RadioFailure.system(error, source)
            }
            _ = try transport.receive { _, packet, _ in
                switch try? Event(packet) {
                case .commandComplete(opcode, _, _), .commandStatus(opcode, _, _): isAnswered = true
                default: break
                }
            }
        }
    }

    private func perform(
        _ actions: [Controller.Action], _ notify: (Controller.Notice) -> Void
    ) throws(RadioFailure) {
        for command in Self.split(actions, notify) { try transport.send(command) }
    }

    /// Delivers the notices, and returns the commands.
    private static func split(
        _ actions: [Controller.Action], _ notify: (Controller.Notice) -> Void
    ) -> [HCICommand] {
        actions.compactMap { action in
            switch action {
            case .send(let command): return command
            case .notify(let notice):
                notify(notice)
                return nil
            }
        }
    }
}
