import Primitives
import Radio

/// The time in which the radio process did not run.
extension RadioSupervisor {
    /// Reads the input of a stall that ends now.
    ///
    /// The kernel's arrival times put each report into its window. Without them, the reports are in one deaf window, from
    /// `start` until now. After a loss of packets or of the scan, a deaf window begins at the latest report.
    ///
    /// - Parameter start: the latest run before the stall.
    func catchUp(since start: Instant, at now: Instant) throws(RadioFailure) {
        guard let radio else { return }
        log.warning("radio process did not run", ["ms": (now - start).milliseconds])
        let clock = radio.stampsArrivals ? listener.steadyClock() : nil
        var isMissed = clock == nil
        if isMissed { listener.miss(from: start, until: now) }
        // A report without its arrival belongs to the end of the deaf window.
        let end = now.advanced(byMicroseconds: -1)
        var hasReports = false
        let outcome = Result { () throws(RadioFailure) in
            try radio.drain(at: now) { reports, event, arrival in
                let time = arrival.flatMap { clock?.instant(of: $0) }
                hasReports = true
                listener.process(
                    reports, of: event,
                    at: time.map { listener.limit($0, from: start, at: now) } ?? end)
            }
        }
        let dropped = radio.takeDrops()
        if !isMissed, dropped > 0 || !radio.isScanning || outcome.isFailure {
            isMissed = true
            listener.miss(from: max(listener.lastReport ?? start, start), until: now)
        }
        listener.countDropped(packets: dropped, at: now)
        if isMissed { listener.resume(at: now) }
        recovery.on(.resumed, at: now)
        if hasReports { reportReceived(at: now) }
        for notice in try outcome.get() { on(notice, at: now) }
    }
}

extension Result {
    fileprivate var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}
