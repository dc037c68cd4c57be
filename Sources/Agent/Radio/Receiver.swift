import Beacon
import Posix
import Radio
import Sighting

/// Keeps a radio open and listened to: what it hears becomes batches, and while it can't hear, windows say so.
package final class Receiver {
    /// Opens the radio, anew each time.
    package typealias Opening = (_ now: Instant) throws(RadioFailure) -> LiveRadio

    private let open: Opening
    private let windows: Windows.Settings
    private let batches: Batcher.Settings
    private let emit: (Batch, WallClock) -> Void
    private let log: Log

    private var radio: LiveRadio?
    private var listener: Listener?
    private var clock = WallClock.read()
    private var retry: Instant
    private var backoff = Backoff(base: 500_000, cap: 30_000_000)
    private var interferencesBefore = 0
    package private(set) var health = RadioHealth()

    /// - Parameters:
    ///   - now: the boot clock's time.
    ///   - open: how to reach the radio.
    ///   - emit: where batches go, with the wall clock as it stood when they were made.
    package init(
        windows: Windows.Settings, batches: Batcher.Settings, log: Log, at now: Instant,
        open: @escaping Opening, emit: @escaping (Batch, WallClock) -> Void
    ) {
        self.windows = windows
        self.batches = batches
        self.log = log
        self.open = open
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
            if radio == nil, retry <= now { radio = try open(now) }
            try radio?.visit(
                at: now, heard: { hear($0, at: now) },
                changed: { changed($0, at: now) })
        } catch {
            lost(error, at: now)
            throw error
        }
    }

    /// Ends the open window and leaves the radio quiet.
    package func finish(at now: Instant) {
        readCounters(at: now)
        listener?.finish(at: now, emit: publish)
        radio?.stop()
        radio = nil
    }

    private func lost(_ error: RadioFailure, at now: Instant) {
        if radio != nil { health.restarts += 1 }
        readRadio()
        interferencesBefore = health.interferences
        radio = nil
        retry = now.advanced(byMicroseconds: backoff.next(random: .max))
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
        // Nothing is wished yet.
        case .advertised, .advertisingChanged: break
        }
    }

    private func turn(_ state: RadioState, at now: Instant) {
        guard listener == nil || health.isHearing != (state == .hearing) else { return }
        health.isHearing = state == .hearing
        if state == .hearing {
            backoff.reset()
            log.info("scanning", ["family": radio?.family?.rawValue ?? "unknown"])
        }
        guard listener != nil else {
            let first = Windows(
                windows, from: now, alignment: clock.offset, state: state,
                seed: HashSeed(Random.word(), Random.word()))
            listener = Listener(first, Batcher(batches))
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
