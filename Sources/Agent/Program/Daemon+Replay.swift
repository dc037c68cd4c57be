import Beacon
import HCI
import Posix
import Radio
import Sighting

extension Daemon {
    /// Events between two looks for a signal: a system call for each would take longer than the event.
    private static let eventsBetweenLooks = 4096

    /// Plays a capture at full speed, on its own clock.
    static func replay(_ path: String, _ run: Run) throws(Exit) {
        let capture: Replay
        do throws(Replay.Failure) { capture = try Replay(path: path) } catch {
            throw complain([error.description], .failed)
        }
        let signals = try signals()
        let sink = try Sink(run)
        let wish = signals.descriptor.rawValue
        var isWanted = true
        // The capture's clock is UTC already.
        let emit = { (batch: Batch) in
            let stamp = Stamp(offset: 0, clock: .synced)
            isWanted = isWanted && sink.put(batch, stamp, until: wish)
        }
        var listener: Listener?
        var drops: UInt32 = 0
        var failure: Replay.Failure?
        var events = 0
        do throws(Replay.Failure) {
            try capture.play { event, record in
                let instant = Instant(microseconds: record.microseconds)
                // Only reports set the clock; whatever else was logged before them does not.
                if listener == nil, AdvertisingReports(event: event) != nil {
                    listener = run.listener(from: instant)
                    drops = record.drops
                }
                if record.drops > drops { listener?.lose(packets: Int(record.drops - drops)) }
                drops = record.drops
                listener?.hear(event, at: instant, emit: emit)
                events += 1
                let isSignalled = events % eventsBetweenLooks == 0 && signals.next() != nil
                return isWanted && !isSignalled
            }
        } catch {
            failure = error
        }
        listener?.finish(emit: emit)
        try sink.finish(signals, isLive: false)
        if let failure { throw complain([failure.description], .failed) }
    }
}

extension Daemon.Run {
    fileprivate func listener(from instant: Instant) -> Listener {
        let first = Windows(
            windows, from: instant, aligned: true, seed: HashSeed(Random.word(), Random.word()))
        return Listener(first, Batcher(batches))
    }
}
