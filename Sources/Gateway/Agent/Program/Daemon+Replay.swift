import HCI
import Posix
import Primitives
import Radio
import Sightings

extension Daemon {
    /// Events between two looks for a signal: a system call for each would take longer than the event.
    private static let eventsBetweenLooks = 4096

    /// Plays a capture at full speed, on its own clock.
    static func replay(_ path: String, _ run: Run) throws(Exit) {
        let capture: Replay
        do throws(Replay.Failure) { capture = try Replay(CaptureName(parsing: path)) } catch {
            throw report([error.description], .failed)
        }
        let signals = try signals()
        let destination = try run.destination()
        let stop = signals.descriptor.rawValue
        var isWanted = true
        // The capture's clock is UTC already.
        let emit = { (batch: Batch) in
            let stamp = Stamp(offset: .zero, clock: .synced)
            isWanted = isWanted && destination.post(batch, stamp, until: stop)
        }
        var playback = Playback(run.listener)
        var events = 0
        var failure: Replay.Failure?
        do throws(Replay.Failure) {
            try capture.play { event, record in
                playback.hear(event, record, emit: emit)
                events += 1
                guard events % eventsBetweenLooks == 0 else { return true }
                return isWanted && signals.next() == nil
            }
        } catch {
            failure = error
        }
        playback.finish(emit: emit)
        try destination.finish(signals, isLive: false)
        if let failure { throw report([failure.description], .failed) }
    }
}

/// Replays a capture on its own clock. The first advertising reports set it; earlier records do not.
private struct Playback {
    private let begin: (Instant) -> Listener
    /// Unused before the first reports. An optional would cost a check for each event.
    private var listener: Listener
    /// Packets that the capturing program lost, until the latest record; `nil` before the first reports.
    private var drops: UInt32?

    /// - Parameter begin: makes the listener that begins at a time of the capture's clock.
    init(_ begin: @escaping (Instant) -> Listener) {
        self.begin = begin
        listener = begin(Instant(microseconds: 0))
    }

    mutating func hear(_ event: Bytes, _ record: Btsnoop.Record, emit: (Batch) -> Void) {
        let instant = record.instant
        if let drops {
            if record.drops > drops {
                listener.countDropped(packets: Int(record.drops - drops), at: instant)
            }
        } else {
            guard AdvertisingReports(event: event) != nil else { return }
            listener = begin(instant)
        }
        drops = record.drops
        listener.process(event, at: instant, emit: emit)
    }

    mutating func finish(emit: (Batch) -> Void) {
        if drops != nil { listener.finish(emit: emit) }
    }
}

extension Daemon.Run {
    fileprivate func listener(from instant: Instant) -> Listener {
        let first = Windows(
            windows, from: instant, aligned: true, seed: HashSeed(Random.word(), Random.word()))
        return Listener(first, Batcher(batches))
    }
}
