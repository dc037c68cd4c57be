import Beacons
import HCI
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

    init(emit: @escaping (Batch, WallClock) -> Void) { self.emit = emit }

    var hasStarted: Bool { listener != nil }

    var deadline: Instant? { listener?.deadline }

    /// The time of the latest report.
    var lastReport: Instant? { listener?.lastReport }

    /// The reports that the recovery policy needs.
    var heard: RecoveryPolicy.Heard {
        RecoveryPolicy.Heard(
            report: listener?.lastReport, references: listener?.references.longestSilent)
    }

    func isWindowOver(at now: Instant) -> Bool { listener.map { $0.deadline <= now } ?? false }

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

    func process(_ reports: AdvertisingReports, of event: Bytes, at now: Instant) {
        listener?.process(reports, of: event, at: now, emit: publish)
    }

    /// Closes the windows that end at `now` or before.
    func advance(to now: Instant) { listener?.advance(to: now, emit: publish) }

    func apply(_ windows: Windows.Settings, _ batches: Batcher.Settings, at now: Instant) {
        listener?.apply(windows: windows, batches: batches, at: now, emit: publish)
    }

    func setReferences(_ references: [BeaconIdentity], at now: Instant) {
        listener?.setReferences(references, at: now)
    }

    func countDropped(packets: Int) { listener?.countDropped(packets: packets) }

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
