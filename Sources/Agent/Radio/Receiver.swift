import Beacon
import Messages
import Posix
import Radio
import Sighting

/// Keeps a radio open and listened to: what it hears becomes batches, and while it can't hear, windows say so. It has the
/// controller advertise what is in force, and brings what is ordered into force.
package final class Receiver {
    /// Opens the radio, anew each time, with what is to be on the air.
    package typealias Opening =
        (_ wish: AdvertisingWish, _ now: Instant) throws(RadioFailure) -> LiveRadio

    private let open: Opening
    private let maxIdentities: Int
    private let emit: (Batch, WallClock) -> Void
    private let answer: (TuningAnswer, RadioStanding) -> Void
    private let log: Log

    private var radio: LiveRadio?
    private var listener: Listener?
    private var clock = WallClock.read()
    private var retry: Instant
    private var backoff = Backoff(base: 500_000, cap: 30_000_000)
    private var interferencesBefore = 0
    /// What is in force.
    private var tuning: Tuning
    /// What the controller is being told.
    private var order: TuningOrder?
    package private(set) var health = RadioHealth()
    package private(set) var standing = RadioStanding()

    /// - Parameters:
    ///   - tuning: what is in force from the start.
    ///   - maxIdentities: identities followed in one window.
    ///   - now: the boot clock's time.
    ///   - open: how to reach the radio.
    ///   - answer: where it is told what became of orders, and how the radio stands since.
    ///   - emit: where batches go, with the wall clock as it stood when they were made.
    package init(
        tuning: Tuning, maxIdentities: Int, log: Log, at now: Instant, open: @escaping Opening,
        answer: @escaping (TuningAnswer, RadioStanding) -> Void = { _, _ in },
        emit: @escaping (Batch, WallClock) -> Void
    ) {
        self.tuning = tuning
        self.maxIdentities = maxIdentities
        self.log = log
        self.open = open
        self.answer = answer
        self.emit = emit
        retry = now
    }

    /// To wait on for reading.
    package var descriptors: [CInt] { radio?.descriptors ?? [] }

    /// When `visit` is wanted even if nothing comes.
    package var deadline: Instant {
        let radioDeadline = radio.map { $0.deadline } ?? retry
        return [radioDeadline, listener?.deadline].compactMap(\.self).min() ?? retry
    }

    /// Reads, waits out, retries: whatever is due.
    ///
    /// - Throws: why the radio can't be heard; it will be tried again at a later visit, if there is one.
    package func visit(at now: Instant) throws(RadioFailure) {
        // Before the first report that closes the window: what was dropped belongs to it.
        if listener.map({ $0.deadline <= now }) == true { readCounters(at: now) }
        defer { listener?.pass(to: now, emit: publish) }
        do throws(RadioFailure) {
            if radio == nil, retry <= now {
                radio = try open(AdvertisingWish(tuning.advertise), now)
            }
            try radio?.visit(
                at: now, heard: { hear($0, at: now) }, changed: { changed($0, at: now) })
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
        standing.isReady = false
        if !isKept { standing.advertising = AdvertisingState() }
    }

    private func lost(_ error: RadioFailure, at now: Instant) {
        if radio != nil { health.restarts += 1 }
        readRadio()
        interferencesBefore = health.interferences
        radio = nil
        retry = now.advanced(byMicroseconds: backoff.next(random: .max))
        standing.isReady = false
        standing.advertising = AdvertisingState()
        standing.trouble = error.description
        interrupted(by: error)
        turn(.deaf, at: now)
    }

    private func hear(_ event: Bytes, at now: Instant) {
        // Somebody else's scan, before ours: counted, but not as what we would have heard.
        if listener == nil { turn(.deaf, at: now) }
        listener?.hear(event, at: now, emit: publish)
    }

    private func changed(_ change: LiveRadio.Change, at now: Instant) {
        switch change {
        case .hearing: turn(.hearing, at: now)
        case .deaf: turn(.deaf, at: now)
        case .advertised(let outcome): advertised(outcome, at: now)
        case .advertisingChanged: advertisingChanged()
        }
    }

    private func turn(_ state: RadioState, at now: Instant) {
        guard listener == nil || health.isHearing != (state == .hearing) else { return }
        health.isHearing = state == .hearing
        if state == .hearing {
            backoff.reset()
            log.info("scanning", ["family": radio?.family?.rawValue ?? "unknown"])
            lookAtController(at: now)
        }
        guard listener != nil else {
            let first = Windows(
                windows, from: now, alignment: clock.offset, state: state,
                seed: HashSeed(Random.word(), Random.word()))
            listener = Listener(first, Batcher(Batcher.Settings(tuning.report)))
            return
        }
        listener?.turn(state, at: now, emit: publish)
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
        if clock.observe(.read()) {
            log.warning("the wall clock was set", ["steps": clock.steps])
            listener?.turn(alignment: clock.offset, at: now, emit: publish)
        }
        health.clockSteps = clock.steps
        health.isClockSynchronised = clock.isSynchronised
    }

    private func publish(_ batch: Batch) {
        if let counts = batch.radio { health.counts += counts }
        emit(batch, clock)
    }
}

// MARK: - What is in force

extension Receiver {
    /// Brings settings into force, the controller first; `answer` tells what came of it.
    package func carryOut(_ order: TuningOrder, at now: Instant) throws(RadioFailure) {
        guard AdvertisingWish(order.tuning.advertise) != AdvertisingWish(tuning.advertise) else {
            tuning = order.tuning
            retune(at: now)
            return reply(to: order, .applied)
        }
        guard let radio, standing.isReady else { return reply(to: order, .postponed) }
        self.order = order
        do throws(RadioFailure) {
            try radio.advertise(AdvertisingWish(order.tuning.advertise), at: now) {
                changed($0, at: now)
            }
        } catch {
            lost(error, at: now)
            throw error
        }
    }

    private func advertised(_ outcome: AdvertisingOutcome, at now: Instant) {
        let order = order
        self.order = nil
        switch outcome {
        case .applied:
            if let order { tuning = order.tuning }
            standing.trouble = nil
        case .refused(let refusal):
            log.error(
                "the controller refused to advertise",
                ["reason": refusal.sentence, "is": order == nil ? "in force" : "asked"])
            let wanted = AdvertisingWish(tuning.advertise).advertising
            if radio?.advertising.advertising != wanted { standing.trouble = refusal.sentence }
        }
        standing.isReady = true
        advertisingChanged()
        lookAtController(at: now)
        guard let order else { return }
        switch outcome {
        case .applied: reply(to: order, .applied)
        case .refused(let refusal): reply(to: order, .refused(refusal))
        }
    }

    private func reply(to order: TuningOrder, _ outcome: TuningAnswer.Outcome) {
        answer(TuningAnswer(id: order.id, outcome: outcome), standing)
    }

    /// What is on the air, as far as is known.
    private func advertisingChanged() {
        guard let radio else { return }
        let before = standing.advertising.advertising
        standing.advertising = radio.advertising
        let after = standing.advertising.advertising
        if AdvertisingWish(tuning.advertise).advertising == after { standing.trouble = nil }
        guard before != after else { return }
        guard let after else { return log.info("not advertising") }
        let identity = after.beacon.identity
        log.info(
            "advertising",
            [
                "uuid": identity.uuid, "major": identity.major, "minor": identity.minor,
                "intervalMs": after.interval.milliseconds,
            ])
    }

    /// An order that was under way when the radio was lost: the controller's fault, or nobody's.
    private func interrupted(by failure: RadioFailure) {
        guard let order else { return }
        self.order = nil
        let outcome: TuningAnswer.Outcome =
            switch failure.kind {
            case .timedOut, .hardwareError, .refused:
                .refused(
                    AdvertisingRefusal(
                        opcode: nil, status: nil, concernsInterval: false,
                        sentence: failure.sentence))
            default: .postponed
            }
        reply(to: order, outcome)
    }

    private func lookAtController(at now: Instant) {
        standing.family = radio?.family
        standing.address = radio?.ownAddress?.text
        retune(at: now)
    }

    private func retune(at now: Instant) {
        listener?.retune(
            windows: windows, batches: Batcher.Settings(tuning.report), at: now, emit: publish)
    }

    private var windows: Windows.Settings {
        let own = OwnBeacon(
            address: radio?.ownAddress, identity: tuning.advertise?.beacon?.identity)
        return Windows.Settings(tuning, maxIdentities: maxIdentities, own: own)
    }
}
