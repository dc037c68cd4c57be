import Beacons
import Glibc
import Posix
import Sightings

/// Where a run's batches go: standard output, or the uplink thread.
enum Sink {
    case output(Output)
    case uplink(UplinkThread)

    /// Signals within this time, in microseconds, count as one: timeout(1) and terminals send several.
    private static let repeatedSignalTime: Int64 = 250_000

    /// The wait before another attempt at a full mailbox.
    private static let retryMilliseconds = 20
    /// Added to the uplink's time limit for its shutdown, in microseconds: a name lookup may be in progress.
    private static let patience: Int64 = 1_000_000

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
        var settings = try run.uplinkSettings()
        settings.reconciler = layers?.reconciler
        settings.store = layers?.store
        settings.manager = manager
        do throws(Errno) {
            self = .uplink(try UplinkThread(settings, log: run.log))
        } catch {
            throw Daemon.report(["can't start the uplink thread: \(error)"], .failed)
        }
    }

    func put(_ batch: Batch, _ stamp: Stamp) {
        switch self {
        case .output(let output): output.write(batch, stamp: stamp)
        case .uplink(let thread): thread.post(.batch(batch, stamp))
        }
    }

    /// The same, but waits for room; `false` if the uplink ends first, or `stop` becomes readable.
    func put(_ batch: Batch, _ stamp: Stamp, until stop: CInt) -> Bool {
        guard case .uplink(let thread) = self else {
            put(batch, stamp)
            return true
        }
        while !thread.post(.batch(batch, stamp)) {
            let interests = [Poll.Interest(thread.descriptor), Poll.Interest(stop)]
            let ready = try? Poll.wait(for: interests, timeout: Self.retryMilliseconds)
            if ready?.allSatisfy(\.isEmpty) != true { return false }
        }
        return true
    }

    /// Posts a message to the uplink, if there is one; `false` if its mailbox is full.
    @discardableResult
    func post(_ message: UplinkMessage) -> Bool {
        if case .uplink(let thread) = self { thread.post(message) } else { true }
    }

    /// The settings that the radio must apply.
    func takeOrders() -> [ApplyRequest] {
        if case .uplink(let thread) = self { thread.takeOrders() } else { [] }
    }

    /// The reference beacons; `nil` if they have not changed.
    func takeReferences() -> [BeaconIdentity]? {
        if case .uplink(let thread) = self { thread.takeReferences() } else { nil }
    }

    /// Writes the collected output.
    func flush() throws(Daemon.Exit) {
        switch self {
        case .output(let output):
            do throws(Errno) { try output.flush() } catch {
                throw Daemon.report(["standard output: \(error)"], .failed)
            }
        case .uplink(let thread): try Self.check(thread.end)
        }
    }

    /// Writes the rest, and waits for the end of the uplink. A signal ends the wait.
    ///
    /// With a radio, a signal has started the shutdown, and the wait has a limit. With a capture, it has none.
    func finish(_ signals: Signals, isLive: Bool) throws(Daemon.Exit) {
        guard case .uplink(let thread) = self else { return try flush() }
        let begun = Clocks.boot
        let limit =
            isLive ? begun + Uplink.Settings.defaultShutdownTime.microseconds + Self.patience : nil
        var isTold = thread.post(.stop)
        while true {
            let left = limit.map { Int(max(0, $0 - Clocks.boot) / 1000) + 1 }
            do throws(Errno) {
                _ = try Poll.wait(
                    for: [
                        Poll.Interest(thread.descriptor),
                        Poll.Interest(signals.descriptor.rawValue),
                    ], timeout: isTold ? left : Self.retryMilliseconds)
            } catch {
                throw Daemon.report(["can't wait: \(error)"], .failed)
            }
            if let end = thread.end { return try Self.check(end) }
            if let signal = signals.next(), signal != SIGHUP,
                !isLive || Clocks.boot - begun > Self.repeatedSignalTime
            {
                let which = isLive ? "a second signal" : "a signal before all was delivered"
                throw Daemon.report(["ended by \(which)"], .failed)
            }
            if let limit, Clocks.boot >= limit {
                throw Daemon.report(["ended without the uplink, which is not done"], .failed)
            }
            // A full mailbox refuses the stop message too.
            if !isTold { isTold = thread.post(.stop) }
        }
    }

    /// Readable when there are orders, or after the uplink has ended.
    var descriptors: [CInt] {
        if case .uplink(let thread) = self {
            [thread.descriptor] + thread.orderDescriptors
        } else {
            []
        }
    }

    private static func check(_ end: UplinkThread.End?) throws(Daemon.Exit) {
        if case .failure(let error) = end {
            throw Daemon.report(["the uplink thread ended: \(error)"], .failed)
        }
    }
}
