import Beacons
import HCI
import Posix
import Primitives
import Radio
import Sightings

/// The listener of a live radio. Its windows are labelled as hearing or deaf, and follow the wall clock.
final class LiveListener {
    /// `nil` until the radio has failed or delivered its first event.
    private var listener: Listener?
    private(set) var clock = WallClock.read()
    /// The sum of the counters of all windows.
    private(set) var counts = RadioCounts()
    private(set) var isHearing = false
    /// Since when the radio has been deaf; `nil` if it hears or has never heard.
    private(set) var deafSince: Instant?
    private let emit: (Batch, WallClock) -> Void
    private let present: () -> Instant
    private var stalls = StallDetector()
    private(set) var pace = ReportPace()
    /// The sleep of the machine until the latest stall.
    private var sleep = Clocks.sleep

    /// - Parameter present: reads the boot clock.
    init(present: @escaping () -> Instant, emit: @escaping (Batch, WallClock) -> Void) {
        self.present = present
        self.emit = emit
    }

    var hasStarted: Bool { listener != nil }

    var deadline: Instant? {
        // Never a copy of the listener: its arrays would be counted at each wake-up.
        guard let end = listener?.deadline else { return nil }
        return .earliest(end, stalls.deadline)
    }

    /// The time of the latest report.
    var lastReport: Instant? { listener?.lastReport }

    /// The Eddystone frames that name no beacon.
    var eddystone: EddystoneCounts { listener?.eddystone ?? EddystoneCounts() }

    /// The reports that the recovery policy needs.
    var heard: RecoveryPolicy.Heard {
        RecoveryPolicy.Heard(
            report: listener?.lastReport, references: listener?.references.longestSilent)
    }

    func isWindowOver(at now: Instant) -> Bool {
        guard let end = listener?.deadline else { return false }
        return end <= now
    }

    /// Changes the label of the windows.
    ///
    /// - Parameter start: makes the listener for the first label.
    func setHearing(_ isHearing: Bool, at now: Instant, start: (RadioState, WallClock) -> Listener)
    {
        if isHearing { deafSince = nil } else if self.isHearing { deafSince = now }
        let hasChanged = isHearing != self.isHearing
        self.isHearing = isHearing
        let state: RadioState = isHearing ? .hearing : .deaf
        if listener == nil {
            listener = start(state, clock)
        } else if hasChanged {
            listener?.turn(state, at: now, emit: publish)
        }
    }

    /// Counts the reports of an event that is read now.
    ///
    /// - Parameter arrival: the kernel's time of the event, on the wall clock.
    func process(
        _ reports: AdvertisingReports, of event: Bytes, arrival: Instant?, at now: Instant
    ) {
        pace.record(at: now)
        process(reports, of: event, at: time(of: arrival, at: now))
    }

    /// Counts the reports of an event.
    func process(_ reports: AdvertisingReports, of event: Bytes, at instant: Instant) {
        listener?.process(reports, of: event, at: instant, emit: publish)
    }

    private func time(of arrival: Instant?, at now: Instant) -> Instant {
        guard let arrival, let earliest = stalls.latestRun else { return now }
        return limit(clock.stamp.instant(of: arrival), from: earliest, at: now)
    }

    /// A time between `earliest` and the present, also while the wall clock steps.
    ///
    /// On a busy machine, reports arrive after `now`, while the loop already reads.
    func limit(_ time: Instant, from earliest: Instant, at now: Instant) -> Instant {
        time <= now ? max(time, earliest) : min(time, later(than: now))
    }

    /// The present, after some work that began at `now`.
    func later(than now: Instant) -> Instant { max(now, present()) }

    /// Closes the windows that end at `now` or before.
    func advance(to now: Instant) { listener?.advance(to: now, emit: publish) }

    func apply(_ windows: Windows.Settings, _ batches: Batcher.Settings, at now: Instant) {
        listener?.apply(windows: windows, batches: batches, at: now, emit: publish)
    }

    func setReferences(_ references: [BeaconIdentity], at now: Instant) {
        listener?.setReferences(references, at: now)
    }

    /// The latest run before a stall that ends now; `nil` if the process runs in time.
    func stall(at now: Instant) -> Instant? {
        guard let end = listener?.deadline else { return nil }
        return stalls.stall(at: now, windowEnd: end)
    }

    func ran(at now: Instant) { stalls.ran(at: now) }

    /// Opens a deaf window for a time in which the radio process did not run.
    func miss(from start: Instant) {
        listener?.turn(.deaf, at: start, isOpenEnded: true, emit: publish)
    }

    /// Ends the deaf window of `miss`.
    func resume(at now: Instant) {
        listener?.turn(isHearing ? .hearing : .deaf, at: now, emit: publish)
    }

    /// The clock during a stall; `nil` if it was set or the machine slept.
    func steadyClock() -> Stamp? {
        let former = sleep
        sleep = Clocks.sleep
        var later = clock
        let isSteady = sleep - former < Self.shortestSleep && !later.update(.read())
        return isSteady ? clock.stamp : nil
    }

    /// A sleep of the machine, not the difference between two clock readings.
    private static let shortestSleep: Duration = .milliseconds(100)

    func countDropped(packets: Int, at now: Instant) {
        listener?.countDropped(packets: packets, at: now)
    }

    func finish(at now: Instant) { listener?.finish(at: now, emit: publish) }

    /// Reads the wall clock, and aligns the windows anew after a step.
    ///
    /// - Returns: whether the wall clock was set.
    func checkWallClock(at now: Instant) -> Bool {
        guard clock.update(.read()) else { return false }
        listener?.turn(alignment: clock.offset, at: now, emit: publish)
        return true
    }

    private func publish(_ batch: Batch) {
        if let radio = batch.radio { counts += radio }
        emit(batch, clock)
    }
}
