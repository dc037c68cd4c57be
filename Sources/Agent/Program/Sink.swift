import Beacons
import Glibc
import Posix
import Sightings

/// Where a run's batches go: standard output, or the uplink thread.
enum Sink {
    case output(Output)
    case uplink(UplinkThread)

    /// Signals that come so close together, in microseconds, are one wish: timeout(1) and terminals send several.
    private static let oneWish: Int64 = 250_000

    /// A mailbox that is full is tried again so soon.
    private static let retryMilliseconds = 20
    /// Beyond the uplink's own time for a farewell, in microseconds: it may be looking up a name.
    private static let patience: Int64 = 1_000_000

    /// - Parameters:
    ///   - layers: what decides about the layers; `nil` where nothing can be tuned.
    ///   - manager: who is told how the agent is.
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
            throw Daemon.complain(["can't start the uplink thread: \(error)"], .failed)
        }
    }

    func put(_ batch: Batch, _ stamp: Stamp) {
        switch self {
        case .output(let output): output.write(batch, stamp: stamp)
        case .uplink(let thread): thread.post(.batch(batch, stamp))
        }
    }

    /// The same, but waits for room; `false` when the uplink's end came first, or `wish` became readable.
    func put(_ batch: Batch, _ stamp: Stamp, until wish: CInt) -> Bool {
        guard case .uplink(let thread) = self else {
            put(batch, stamp)
            return true
        }
        while !thread.post(.batch(batch, stamp)) {
            let interests = [Poll.Interest(thread.descriptor), Poll.Interest(wish)]
            let ready = try? Poll.wait(for: interests, timeout: Self.retryMilliseconds)
            if ready?.allSatisfy(\.isEmpty) != true { return false }
        }
        return true
    }

    /// Tells the uplink, if there is one; `false` if its mailbox was full.
    @discardableResult
    func tell(_ message: UplinkMessage) -> Bool {
        if case .uplink(let thread) = self { thread.post(message) } else { true }
    }

    /// What the radio is to bring into force.
    func takeOrders() -> [ApplyRequest] {
        if case .uplink(let thread) = self { thread.takeOrders() } else { [] }
    }

    /// The beacons that must always be heard from now on; `nil` when they are the same.
    func takeReferences() -> [BeaconIdentity]? {
        if case .uplink(let thread) = self { thread.takeReferences() } else { nil }
    }

    /// Lets out what has been gathered.
    func flush() throws(Daemon.Exit) {
        switch self {
        case .output(let output):
            do throws(Errno) { try output.flush() } catch {
                throw Daemon.complain(["standard output: \(error)"], .failed)
            }
        case .uplink(let thread): try Self.check(thread.end)
        }
    }

    /// Lets out the last of it, and waits until it is gone; a signal meanwhile ends the waiting.
    ///
    /// A radio's listener has had a signal before, and can't wait for ever; a capture's player has neither.
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
                throw Daemon.complain(["can't wait: \(error)"], .failed)
            }
            if let end = thread.end { return try Self.check(end) }
            if let signal = signals.next(), signal != SIGHUP,
                !isLive || Clocks.boot - begun > Self.oneWish
            {
                let which = isLive ? "a second signal" : "a signal before all was delivered"
                throw Daemon.complain(["ended by \(which)"], .failed)
            }
            if let limit, Clocks.boot >= limit {
                throw Daemon.complain(["ended without the uplink, which is not done"], .failed)
            }
            // A mailbox that was full has no room for the wish to stop either.
            if !isTold { isTold = thread.post(.stop) }
        }
    }

    /// To wait on: readable when there are wishes, or when the uplink has ended, which it should not.
    var descriptors: [CInt] {
        if case .uplink(let thread) = self {
            [thread.descriptor] + thread.orderDescriptors
        } else {
            []
        }
    }

    private static func check(_ end: UplinkThread.End?) throws(Daemon.Exit) {
        if case .failure(let error) = end {
            throw Daemon.complain(["the uplink thread ended: \(error)"], .failed)
        }
    }
}
