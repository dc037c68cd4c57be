import Contract
import Posix
import Primitives
import Radio
import Sightings

/// Keeps a radio open and listened to: what it hears becomes batches, and while it can't hear, windows say so. It has the
/// controller advertise what is in force, brings what is ordered into force, and does what the ladder says about a radio
/// that is silent or fails.
package final class RadioSupervisor {
    /// Opens the radio, anew each time, with what is to be on the air.
    package typealias Opening =
        (_ wish: DesiredAdvertising, _ now: Instant) throws(RadioFailure) -> LiveRadio

    private let open: Opening
    private let maxIdentities: Int
    private let emit: (Batch, WallClock) -> Void
    let answer: (ApplyResult, ControllerState) -> Void
    var recoverySettings: RecoverySettings
    let log: Log

    var radio: LiveRadio?
    var listener: Listener?
    private var clock = WallClock.read()
    var retry: Instant
    private var backoff = Backoff(base: 500_000, cap: 30_000_000)
    private var interferencesBefore = 0
    var ladder: RecoveryPolicy
    /// What the ladder wants and has not been done.
    var wanted: [RecoveryPolicy.Action] = []
    /// The adapter on its way down and up; nothing is opened meanwhile.
    var powerCycle: (any PowerCycle)?
    /// Whether the adapter may be down because of us.
    var mayHaveLeftDown = false
    /// Steps that the log has told of since all was well.
    var told: Set<String> = []
    /// Whether the controller scans, as far as it says.
    private var isScanning = false
    /// Since when it does not, though it did; `nil` when it does or never has.
    private var deafSince: Instant?
    /// Whether the radio was lost and has not scanned since.
    private var isLost = false
    /// Whether this opened radio may send no events at all: a shared one that has not brought any yet.
    var mayBeMasked = false
    /// Whether it is to be asked for them.
    var isUnmaskDue = false
    /// Whether the log says that this opened radio scans.
    private var hasToldOfScan = false
    /// Whether it says that somebody changes what it does.
    private var hasToldOfInterference = false
    /// What is in force.
    var tuning: GatewaySettings
    /// What the controller is being told.
    var order: ApplyRequest?
    package internal(set) var health = RadioHealth()
    package internal(set) var controllerState = ControllerState()

    /// Deaf for longer than this (microseconds) is degraded: a scan that is taken back at once is not worth a message.
    static let deafTolerance: Int64 = 2_000_000

    /// - Parameters:
    ///   - tuning: what is in force from the start.
    ///   - maxIdentities: identities followed in one window.
    ///   - recoverySettings: what to know of the radio for it to be looked after.
    ///   - now: the boot clock's time.
    ///   - open: how to reach the radio.
    ///   - answer: where it is told what became of orders, and how the radio stands since.
    ///   - emit: where batches go, with the wall clock as it stood when they were made.
    package init(
        tuning: GatewaySettings, maxIdentities: Int,
        recovery: RecoverySettings = RecoverySettings(), log: Log,
        at now: Instant, open: @escaping Opening,
        answer: @escaping (ApplyResult, ControllerState) -> Void = { _, _ in },
        emit: @escaping (Batch, WallClock) -> Void
    ) {
        self.tuning = tuning
        self.maxIdentities = maxIdentities
        self.recoverySettings = recovery
        self.log = log
        self.open = open
        self.answer = answer
        self.emit = emit
        ladder = RecoveryPolicy(
            isShared: recoverySettings.isShared,
            expectsReferences: !recoverySettings.references.isEmpty, seed: recoverySettings.seed)
        retry = now
    }

    /// To wait on for reading.
    package var descriptors: [CInt] {
        (radio?.descriptors ?? []) + [powerCycle?.descriptor].compactMap(\.self)
    }

    /// When `visit` is wanted even if nothing comes.
    package var deadline: Instant? {
        var radioDeadline = radio.map { $0.deadline } ?? retry
        // A power cycle is waited for on its descriptor.
        if powerCycle != nil { radioDeadline = nil }
        let complaint = health.isDegraded ? nil : complaintDue
        return [radioDeadline, listener?.deadline, ladder.deadline(heard), complaint]
            .compactMap(\.self).min()
    }

    /// Reads, waits out, retries: whatever is due.
    ///
    /// - Throws: why the radio can't be heard; it will be tried again at a later visit, if there is one.
    package func update(at now: Instant) throws(RadioFailure) {
        // Before the first report that closes the window: what was dropped belongs to it.
        if listener.map({ $0.deadline <= now }) == true { readCounters(at: now) }
        defer {
            listener?.pass(to: now, emit: publish)
            health.steps = ladder.counts
            health.isDegraded = ladder.isAtWork || isLost || complaintDue.map { $0 <= now } ?? false
        }
        do throws(RadioFailure) {
            awaitPower(at: now)
            if radio == nil, powerCycle == nil, retry <= now {
                radio = try open(DesiredAdvertising(tuning.advertise), now)
                mayBeMasked = recoverySettings.isShared
            }
            try radio?.visit(
                at: now, heard: { hear($0, at: now) }, changed: { changed($0, at: now) })
            try climb(at: now)
        } catch {
            lost(error, at: now)
            throw error
        }
    }

    /// Ends the open window and leaves the radio quiet, but for advertising that is to be kept.
    package func finish(at now: Instant) {
        readCounters(at: now)
        listener?.finish(at: now, emit: publish)
        let isKept = tuning.advertise?.keepOnExit ?? false
        radio?.stop(keepingAdvertising: isKept)
        radio = nil
        waitForPower()
        controllerState.isReady = false
        if !isKept { controllerState.advertising = AdvertisingState() }
    }

    /// The wall clock has been set, or a window ends: looks at it.
    package func checkWallClock(at now: Instant) {
        if clock.observe(.read()) {
            log.warning("the wall clock was set", ["steps": clock.steps])
            listener?.turn(alignment: clock.offset, at: now, emit: publish)
        }
        health.clockSteps = clock.steps
        health.isClockSynchronised = clock.isSynchronised
    }

    func lost(_ error: RadioFailure, at now: Instant) {
        close(at: now)
        retry = now.advanced(byMicroseconds: backoff.next(random: .max))
        controllerState.trouble = error.description
        interrupted(by: error)
        isLost = true
        health.isSettled = true
        // An adapter that we left down is not somebody else's wish.
        let isCurable = error.isCurable || error.kind == .down && mayHaveLeftDown
        want(ladder.failed(isCurable: isCurable, at: now))
        // Nothing of it can fail: there is no radio.
        try? climb(at: now)
        settle(at: now)
    }

    /// Without a radio from here on, until it is opened again.
    func close(at now: Instant) {
        if radio != nil { health.restarts += 1 }
        readRadio()
        interferencesBefore = health.interferences
        radio = nil
        isScanning = false
        hasToldOfScan = false
        hasToldOfInterference = false
        controllerState.isReady = false
        controllerState.advertising = AdvertisingState()
        settle(at: now)
    }

    private func hear(_ event: Bytes, at now: Instant) {
        // Somebody else's scan, before ours: counted, but not as what we would have heard.
        if listener == nil { turn(.deaf, at: now) }
        mayBeMasked = false
        if ladder.isMute {
            ladder.unmute()
            settle(at: now)
        }
        listener?.hear(event, at: now, emit: publish)
    }

    func changed(_ change: LiveRadio.Change, at now: Instant) {
        switch change {
        case .hearing: scanning(at: now)
        case .deaf:
            isScanning = false
            tellOfInterference()
            settle(at: now)
        case .advertised(let outcome): advertised(outcome, at: now)
        case .advertisingChanged:
            tellOfInterference()
            advertisingChanged()
        case .answered:
            want(ladder.answered(at: now))
            isUnmaskDue = mayBeMasked
        case .unanswered: want(ladder.unanswered(at: now))
        }
    }

    private func scanning(at now: Instant) {
        isScanning = true
        isLost = false
        health.isSettled = true
        mayHaveLeftDown = false
        backoff.reset()
        if !hasToldOfScan {
            log.info("scanning", ["family": radio?.family?.rawValue ?? "unknown"])
            hasToldOfScan = true
        }
        want(ladder.hearing(at: now))
        settle(at: now)
        lookAtController(at: now)
    }

    private func tellOfInterference() {
        guard !hasToldOfInterference, let radio, radio.interferences > 0 else { return }
        hasToldOfInterference = true
        log.warning("another program changes the scan or the advertising: it is taken back")
    }

    /// Windows say what is the case: a scan that is on hears, unless something has shown that it does not.
    func settle(at now: Instant) {
        let isHearing = isScanning && !ladder.isMute
        if isHearing { deafSince = nil } else if health.isHearing { deafSince = now }
        turn(isHearing ? .hearing : .deaf, at: now)
    }

    private func turn(_ state: RadioState, at now: Instant) {
        guard listener == nil || health.isHearing != (state == .hearing) else { return }
        health.isHearing = state == .hearing
        guard listener != nil else {
            let first = Windows(
                windows, from: now, alignment: clock.offset, state: state,
                seed: HashSeed(Random.word(), Random.word()))
            listener = Listener(
                first, Batcher(Batcher.Settings(tuning.report)),
                references: ReferenceWatch(recoverySettings.references))
            return
        }
        listener?.turn(state, at: now, emit: publish)
    }

    /// When being deaf becomes worth a message; `nil` while hearing.
    private var complaintDue: Instant? { deafSince?.advanced(byMicroseconds: Self.deafTolerance) }

    /// Whether the visit at `now` brought reports.
    package func receivedReports(at now: Instant) -> Bool { listener?.lastReport == now }

    /// What the ladder needs to know.
    var heard: RecoveryPolicy.Heard {
        RecoveryPolicy.Heard(
            report: listener?.lastReport, references: listener?.references.longestSilent)
    }

    /// Once a window, and before a radio is given up: what was dropped on its way, and who has meddled.
    private func readRadio() {
        guard let radio else { return }
        listener?.lose(packets: radio.takeDrops())
        health.interferences = interferencesBefore + radio.interferences
    }

    /// Once a window: the radio's counters, and whether somebody set the clock.
    private func readCounters(at now: Instant) {
        readRadio()
        health.lastReport = listener?.lastReport
        checkWallClock(at: now)
    }

    func publish(_ batch: Batch) {
        if let counts = batch.radio { health.counts += counts }
        emit(batch, clock)
    }

    var windows: Windows.Settings {
        let own = OwnBeacon(
            address: radio?.ownAddress, identity: tuning.advertise?.beacon?.identity)
        return Windows.Settings(tuning, maxIdentities: maxIdentities, own: own)
    }
}
