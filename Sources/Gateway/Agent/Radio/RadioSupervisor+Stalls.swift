import Primitives
import Radio

/// The time in which the radio process did not run.
extension RadioSupervisor {
    /// Reads the input of a stall.
    ///
    /// The kernel's arrival times put each report into its window. Without them, the reports are in one deaf window, from
    /// `start` until all input is read. After a loss of packets or of the scan, a deaf window begins at the latest report.
    ///
    /// - Parameters:
    ///   - start: the latest run before the stall.
    ///   - woken: the end of the stall.
    /// - Returns: when all input was read. A busy machine needs some time for that.
    func catchUp(since start: Instant, at woken: Instant) throws(RadioFailure) -> Instant {
        guard let radio else { return woken }
        log.warning("radio process did not run", ["ms": (woken - start).milliseconds])
        let clock = radio.stampsArrivals ? listener.steadyClock() : nil
        var isMissed = clock == nil
        if isMissed { listener.miss(from: start) }
        var hasReports = false
        let outcome = Result { () throws(RadioFailure) in
            try radio.drain(at: woken) { reports, event, arrival in
                let time = arrival.flatMap { clock?.instant(of: $0) }
                hasReports = true
                listener.process(
                    reports, of: event,
                    at: time.map { listener.limit($0, from: start, at: woken) } ?? woken)
            }
        }
        let now = listener.later(than: woken)
        let dropped = radio.takeDrops()
        if !isMissed, dropped > 0 || !radio.isScanning || outcome.isFailure {
            isMissed = true
            listener.miss(from: max(listener.lastReport ?? start, start))
        }
        listener.countDropped(packets: dropped, at: now)
        if isMissed { listener.resume(at: now) }
        recovery.on(.resumed, at: now)
        if hasReports { reportReceived(at: now) }
        for notice in try outcome.get() { on(notice, at: now) }
        return now
    }
}

extension Result {
    fileprivate var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}
