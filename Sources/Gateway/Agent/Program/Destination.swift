import Beacons
import Contract
import Glibc
import Posix
import Primitives
import Sightings

/// Receives the batches of a run: the uplink's process, or standard output. The loops of the radio's process treat both alike.
protocol Destination: AnyObject {
    /// The settings in force at the start.
    var settings: GatewaySettings { get }
    /// Whether the run is a service, which waits for its radio. Any other run ends when the radio fails.
    var isService: Bool { get }
    /// Readable when the destination sends something, or has ended.
    var interest: Poll.Interest? { get }
    /// When `update` is due, even without input.
    var deadline: Instant? { get }
    /// How the destination ended; `nil` while it takes batches. An error is already written.
    var end: Result<Void, Daemon.Exit>? { get }

    /// - Returns: whether there was room. A batch that is refused is declared lost.
    @discardableResult
    func post(_ batch: Batch, _ stamp: Stamp) -> Bool

    /// - Returns: whether the destination gets the message, or needs none.
    @discardableResult
    func post(_ message: UplinkMessage) -> Bool

    /// Reads what the destination sends, and does what is due.
    func update(at now: Instant)

    /// The settings that the radio must apply.
    func takeOrders() -> [ApplyRequest]

    /// The reference beacons; `nil` if they have not changed.
    func takeReferences() -> [BeaconIdentity]?

    /// Ends the destination immediately.
    ///
    /// - Returns: the number of batches that are neither delivered nor stored.
    @discardableResult
    func kill() -> Int
}

private enum ShutdownLimits {
    /// Signals within this time count as one: timeout(1) and terminals send several.
    static let repeatedSignalTime = Duration.milliseconds(250)
    /// Added to the uplink's time limit for its shutdown: its process may still start, or a commit may be in progress.
    /// The sum is below `TimeoutStopSec` of the service.
    static let patience = Duration.seconds(8)
}

extension Destination {
    /// Posts a batch, and waits for room.
    ///
    /// - Parameter stop: ends the wait when it becomes readable.
    /// - Returns: whether the destination has the batch.
    func post(_ batch: Batch, _ stamp: Stamp, until stop: CInt) -> Bool {
        while end == nil {
            if post(batch, stamp) { return true }
            let interests = [interest, Poll.Interest(stop)].compactMap(\.self)
            let ready = try? Poll.wait(for: interests, until: deadline)
            update(at: .now)
            if ready?[stop].isEmpty != true { return false }
        }
        return false
    }

    /// Ends the destination after it has delivered or stored all batches. A signal ends the wait.
    ///
    /// With a radio, a signal has started the shutdown, and the wait has a limit. With a capture, it has none.
    func finish(_ signals: Signals, isLive: Bool) throws(Daemon.Exit) {
        let begun = Instant.now
        let limit =
            isLive ? begun + Uplink.Settings.defaultShutdownTime + ShutdownLimits.patience : nil
        post(.stop)
        while true {
            if let end { return try end.get() }
            do throws(Errno) {
                let signal = Poll.Interest(signals.descriptor.rawValue)
                let due = [deadline, limit].compactMap(\.self).min()
                _ = try Poll.wait(for: [interest, signal].compactMap(\.self), until: due)
            } catch {
                throw Daemon.report(["can't wait: \(error)"], .failed)
            }
            let now = Instant.now
            update(at: now)
            if end != nil { continue }
            if let signal = signals.next(), signal != SIGHUP,
                !isLive || now - begun > ShutdownLimits.repeatedSignalTime
            {
                let which = isLive ? "a second signal" : "a signal before all was delivered"
                kill()
                throw Daemon.report(["ended by \(which)"], .failed)
            }
            if let limit, limit <= now {
                let batches = kill()
                throw Daemon.report(
                    [
                        "ended without the uplink, which has neither delivered nor stored"
                            + " \(batches) batches"
                    ], .failed)
            }
        }
    }
}
