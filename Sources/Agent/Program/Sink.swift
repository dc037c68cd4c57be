import Beacons
import Glibc
import Posix
import Primitives
import Sightings

/// Where a run's batches go: standard output, or the uplink's process.
enum Sink {
    case output(Output)
    case uplink(UplinkProcess)

    /// Signals within this time count as one: timeout(1) and terminals send several.
    private static let repeatedSignalTime = Duration.milliseconds(250)
    /// Added to the uplink's time limit for its shutdown: its process may still start, or a commit may be in progress.
    /// The sum is below `TimeoutStopSec` of the service.
    private static let patience = Duration.seconds(8)

    /// - Parameters:
    ///   - layers: the configuration layers; `nil` if the source can't be tuned.
    ///   - manager: the service manager; `nil` without one.
    init(
        _ run: Daemon.Run, layers: SavedLayers? = nil, manager: ServiceManager? = nil
    ) throws(Daemon.Exit) {
        guard !run.isForStandardOutput else {
            self = .output(Output(topics: run.configuration.topics, session: run.session))
            return
        }
        self = .uplink(try UplinkProcess(run, layers: layers, manager: manager))
    }

    func put(_ batch: Batch, _ stamp: Stamp) {
        switch self {
        case .output(let output): output.write(batch, stamp: stamp)
        case .uplink(let process): _ = process.post(batch, stamp)
        }
    }

    /// The same, but waits for room; `false` if the uplink ends first, or `stop` becomes readable.
    func put(_ batch: Batch, _ stamp: Stamp, until stop: CInt) -> Bool {
        guard case .uplink(let process) = self else {
            put(batch, stamp)
            return true
        }
        while !process.post(batch, stamp) {
            let interests = [process.interest, Poll.Interest(stop)].compactMap(\.self)
            let ready = try? Poll.wait(for: interests, until: process.deadline)
            process.update(at: .now)
            if ready?[stop].isEmpty != true || process.end != nil { return false }
        }
        return true
    }

    /// Posts a message to the uplink, if there is one; `false` if its mailbox is full.
    @discardableResult
    func post(_ message: UplinkMessage) -> Bool {
        if case .uplink(let process) = self { process.post(message) } else { true }
    }

    /// The settings that the radio must apply.
    func takeOrders() -> [ApplyRequest] {
        if case .uplink(let process) = self { process.takeOrders() } else { [] }
    }

    /// The reference beacons; `nil` if they have not changed.
    func takeReferences() -> [BeaconIdentity]? {
        if case .uplink(let process) = self { process.takeReferences() } else { nil }
    }

    /// Reads what the uplink sends, and does what is due.
    func update(at now: Instant) {
        if case .uplink(let process) = self { process.update(at: now) }
    }

    /// Writes the collected output.
    ///
    /// - Throws: the uplink ended and is not started again.
    func flush() throws(Daemon.Exit) {
        switch self {
        case .output(let output):
            do throws(Errno) { try output.flush() } catch {
                throw Daemon.report(["standard output: \(error)"], .failed)
            }
        case .uplink(let process): try process.end?.get()
        }
    }

    /// Writes the rest, and waits for the end of the uplink. A signal ends the wait.
    ///
    /// With a radio, a signal has started the shutdown, and the wait has a limit. With a capture, it has none.
    func finish(_ signals: Signals, isLive: Bool) throws(Daemon.Exit) {
        guard case .uplink(let process) = self else { return try flush() }
        let begun = Instant.now
        let limit = isLive ? begun + Uplink.Settings.defaultShutdownTime + Self.patience : nil
        process.post(.stop)
        while true {
            do throws(Errno) {
                let signal = Poll.Interest(signals.descriptor.rawValue)
                let due = [process.deadline, limit].compactMap(\.self).min()
                _ = try Poll.wait(for: [process.interest, signal].compactMap(\.self), until: due)
            } catch {
                throw Daemon.report(["can't wait: \(error)"], .failed)
            }
            let now = Instant.now
            process.update(at: now)
            if let end = process.end { return try end.get() }
            if let signal = signals.next(), signal != SIGHUP,
                !isLive || now - begun > Self.repeatedSignalTime
            {
                let which = isLive ? "a second signal" : "a signal before all was delivered"
                process.kill()
                throw Daemon.report(["ended by \(which)"], .failed)
            }
            if let limit, limit <= now {
                let batches = process.kill()
                throw Daemon.report(
                    [
                        "ended without the uplink, which has neither delivered nor stored"
                            + " \(batches) batches"
                    ], .failed)
            }
        }
    }

    /// Readable when the uplink sends something, or after it has ended.
    var interest: Poll.Interest? {
        if case .uplink(let process) = self { process.interest } else { nil }
    }

    /// When `update` is due.
    var deadline: Instant? { if case .uplink(let process) = self { process.deadline } else { nil } }
}
