import Beacons
import HCI
import Primitives

/// The state machine of a controller: initialises it, chooses a command family, keeps it scanning, lets it advertise.
///
/// It sends one command at a time and matches the answer by opcode. Commands for the scan go before those for
/// advertising. Advertising reports do not pass through it. The value has no clock and no socket: events go in, actions
/// come out.
package struct Controller {
    /// The time that a controller has to answer, as in the kernel.
    package static let answerTimeout: Duration = .seconds(2)

    private let isExclusive: Bool
    private var queue: [QueuedCommand] = []
    private var scanner: Scanner
    private var advertiser: Advertiser
    private var slot = CommandSlot()
    private var hasStoppedOtherFamily = false
    /// Another program has reset the controller, whose default event mask has no advertising reports.
    private var mustUnmaskEvents = false

    package private(set) var capabilities: Capabilities
    /// The family in use; `nil` until the capabilities are known.
    package private(set) var family: CommandFamily?
    package private(set) var isScanning = false

    /// - Parameters:
    ///   - isExclusive: whether no other program uses the controller, so that it must be reset first.
    ///   - advertising: the advertising that starts after the scan.
    ///   - randomAddress: the address that stands for a public one, if the controller has none.
    package init(
        isExclusive: Bool, timing: ScanTiming = .continuous,
        advertising: DesiredAdvertising = .untouched, randomAddress: DeviceAddress? = nil
    ) {
        self.isExclusive = isExclusive
        capabilities = Capabilities(substitute: randomAddress)
        scanner = Scanner(timing)
        advertiser = Advertiser(advertising, isExclusive: isExclusive)
    }

    /// The current advertising.
    package var advertising: AdvertisingState { advertiser.state }

    /// How often other programs have changed the gateway's scan or advertising.
    package var interferences: Int { scanner.interferences + advertiser.interferences }

    /// When `tick` is due, even without events.
    package var deadline: Instant? {
        // The advertiser must wait for the scan's commands.
        let isIdle = slot.outstanding == nil && queue.isEmpty
        return .earliest(
            .earliest(slot.deadline, isScanPending ? nil : scanner.deadline),
            isIdle ? advertiser.deadline : nil)
    }

    package mutating func start(at now: Instant) -> [Action] {
        queue = QueuedCommand.setUp(isExclusive: isExclusive)
        return sendNext(at: now)
    }

    /// Changes the advertising.
    package mutating func advertise(_ desired: DesiredAdvertising, at now: Instant) -> [Action] {
        advertiser.request(desired)
        return sendNext(at: now)
    }

    /// Sends a command that the controller must answer. `probeAnswered` or `probeTimedOut` follows, unless the scan
    /// starts first.
    package mutating func probe(at now: Instant) -> [Action] {
        queue.append(
            QueuedCommand(.readLocalVersion, refusal: .isAllowed, milestone: .probeAnswered))
        return sendNext(at: now)
    }

    /// Switches the scan off and on.
    package mutating func rescan(at now: Instant) -> [Action] {
        guard family != nil else { return [] }
        scanner.mayHaveStopped()
        queueScan()
        return scanChange() + sendNext(at: now)
    }

    /// Sets the event masks and scans again: another program may have reset the controller before the gateway opened it.
    package mutating func unmaskEvents(at now: Instant) -> [Action] {
        mustUnmaskEvents = true
        return rescan(at: now)
    }

    /// Handles a command that the kernel or another program sends to the controller.
    ///
    /// The gateway's own scan commands that wait would interrupt the other program's sequence.
    package mutating func overheard(_ command: HCICommand, at now: Instant) {
        slot.overheard(command)
        guard isForScan(command.opcode) else { return }
        dropScan()
        scanner.otherProgramSends(at: now)
    }

    /// Handles an event; its advertising reports are not the state machine's concern.
    package mutating func on(
        _ event: Event, _ packet: Bytes, at now: Instant
    ) throws(Fault) -> [Action] {
        switch event {
        case .commandComplete(let opcode, let credits, let answer):
            slot.grant(credits)
            let parameters = packet.extracting(answer)
            if slot.isOwn(opcode) { capabilities.learn(from: parameters, to: opcode) }
            let status = parameters.count > 0 ? HCIStatus(rawValue: parameters[0]) : .success
            return try answered(opcode, status, parameters, at: now)
        case .commandStatus(let opcode, let credits, let status):
            slot.grant(credits)
            // Success only means that the controller has accepted the command.
            guard status != .success else { return sendNext(at: now) }
            return try answered(opcode, status, packet.extracting(0..<0), at: now)
        case .hardwareError(let code):
            throw .hardwareError(code)
        case .advertisingReports, .other:
            return []
        }
    }

    /// Handles the passage of time.
    package mutating func tick(at now: Instant) throws(Fault) -> [Action] {
        let hasProbeTimedOut = try slot.tick(next: nextCommand, at: now)
        if let family, !isScanPending,
            let commands = scanner.attempt(family, from: capabilities.ownAddressType, at: now)
        {
            queue += preparation + commands
        }
        let notices = hasProbeTimedOut ? [Action.notify(.probeTimedOut)] : []
        return notices + sendNext(at: now, isTick: true)
    }

    /// The commands that leave the controller idle.
    ///
    /// - Parameter keepingAdvertising: whether the advertising goes on.
    package func stopCommands(keepingAdvertising: Bool = false) -> [HCICommand] {
        guard let family else { return [] }
        return scanner.stopCommands(family)
            + advertiser.stopCommands(keepingAdvertising: keepingAdvertising)
    }

    /// Asks for the machine's temperature, in 1/256 °C, if the gateway's telemetry is due.
    package mutating func measure(at now: Instant, temperature: () -> Int16?) {
        advertiser.measure(at: now, temperature)
    }
}

// MARK: - Answers and queue

extension Controller {
    private mutating func answered(
        _ opcode: Opcode, _ status: HCIStatus, _ answer: Bytes, at now: Instant
    ) throws(Fault) -> [Action] {
        guard let own = slot.takeOwn(opcode) else {
            let command = slot.takeForeign(opcode)
            if status == .success { otherProgramSent(opcode, command, at: now) }
            return scanChange() + sendNext(at: now)
        }
        if status == .success { scanner.accepted(own.command) }
        var notices: [Action] = []
        if let queued = own.queued {
            notices = try completed(queued, status, at: now)
        } else {
            let power =
                opcode == .leSetExtendedAdvertisingParameters
                ? HCICommand.selectedTxPower(in: answer) : nil
            let mustStop = advertiser.answered(
                status, txPowerDbm: power, mayRetry: !hasStoppedOtherFamily, at: now)
            if mustStop { stopOtherFamily() }
        }
        return scanChange() + notices + sendNext(at: now)
    }

    private mutating func completed(
        _ queued: QueuedCommand, _ status: HCIStatus, at now: Instant
    ) throws(Fault) -> [Action] {
        if status != .success {
            if capabilities.changesAddress(after: queued, status) {
                advertiser.begin(capabilities)
                queueScan()
                return []
            }
            switch queued.refusal {
            case .isAllowed, .isForAddress: break
            case .isForOthers where status == .commandDisallowed:
                return try disallowed(queued, at: now)
            case .isForLaterEvents:
                capabilities.hasLaterEvents = false
                queue.insert(QueuedCommand(.leSetFirstEventMask, refusal: .isAllowed), at: 0)
            case .isFatal, .isForOthers: throw .refused(queued.command.opcode, status)
            }
        }
        switch queued.milestone {
        case .versionKnown:
            if isExclusive { queue.insert(.leEventMask(capabilities), at: 0) }
        case .capabilitiesKnown:
            family = capabilities.family
            advertiser.begin(capabilities)
            queueScan()
        case .otherScanStopped where status == .success && isScanning:
            // A controller that accepts both families has stopped the gateway's scan, too.
            scanner.mayHaveStopped()
            queueScan()
        case .otherAdvertisingStopped where status == .success:
            advertiser.mayHaveStopped(at: now)
        case .probeAnswered: return [.notify(.probeAnswered)]
        case .eventsUnmasked: mustUnmaskEvents = false
        case .otherScanStopped, .otherAdvertisingStopped, nil: break
        }
        return []
    }

    /// Another program uses the other command family, which the gateway stops once, or the scan of a shared controller.
    private mutating func disallowed(
        _ queued: QueuedCommand, at now: Instant
    ) throws(Fault) -> [Action] {
        if !scanner.isContested, !hasStoppedOtherFamily {
            queueScan()
            stopOtherFamily()
            return []
        }
        guard !isExclusive else { throw .refused(queued.command.opcode, .commandDisallowed) }
        dropScan()
        scanner.disallowed(at: now)
        return [.notify(.scanDisallowed(queued.command.opcode))]
    }

    /// Another program's command has succeeded: it may have stopped the gateway's scan.
    ///
    /// - Parameter command: `nil` if its parameters are unknown.
    private mutating func otherProgramSent(
        _ opcode: Opcode, _ command: HCICommand?, at now: Instant
    ) {
        guard !isExclusive else { return }
        if opcode == .reset {
            mustUnmaskEvents = true
            hasStoppedOtherFamily = false
        }
        guard family != nil else { return }
        if command?.isForOtherSet != true { advertiser.otherProgramSent(opcode, at: now) }
        if isForScan(opcode) { scanner.otherProgramSent(command, at: now) }
    }

    private func isForScan(_ opcode: Opcode) -> Bool {
        family.map { Scanner.affects(opcode, $0) } ?? false
    }

    /// Whether the gateway's commands will change the scan.
    private var isScanPending: Bool {
        slot.outstanding.map { isForScan($0.command.opcode) } ?? false
            || queue.contains { isForScan($0.command.opcode) }
    }

    /// The notice of a scan that has started or stopped since the last one.
    private mutating func scanChange() -> [Action] {
        guard scanner.isRunning != isScanning else { return [] }
        isScanning = scanner.isRunning
        return [.notify(isScanning ? .scanStarted : .scanStopped)]
    }

    private var nextCommand: HCICommand? { queue.first?.command ?? advertiser.next }

    /// Sends the next command, unless one is outstanding or the controller has given no credit.
    private mutating func sendNext(at now: Instant, isTick: Bool = false) -> [Action] {
        if slot.outstanding == nil, queue.isEmpty { advertiser.plan(at: now, mayRestore: isTick) }
        let notices = advertiser.takeNotices().map { Action.notify($0) }
        let next = nextCommand
        guard slot.isFree(for: next, at: now), let next else { return notices }
        let queued = queue.isEmpty ? nil : queue.removeFirst()
        if queued == nil { advertiser.sent() }
        slot.send(next, queued, at: now)
        return notices + [.send(next)]
    }

    private mutating func queueScan() {
        guard let family else { return }
        queue =
            queue.filter(\.isForOtherFamily)
            + preparation + scanner.start(family, from: capabilities.ownAddressType)
    }

    /// The commands that a scan needs before its own: those that restore the event masks, and the random address.
    private var preparation: [QueuedCommand] {
        (mustUnmaskEvents ? QueuedCommand.unmaskEvents(capabilities) : [])
            + QueuedCommand.address(capabilities)
    }

    private mutating func dropScan() {
        if let family { queue.removeAll { Scanner.affects($0.command.opcode, family) } }
    }

    private mutating func stopOtherFamily() {
        guard let family else { return }
        hasStoppedOtherFamily = true
        queue = QueuedCommand.stop(family.other) + queue
    }
}
