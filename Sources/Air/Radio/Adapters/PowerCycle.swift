import Posix

/// An adapter that goes down and up, or up only. This takes time, so that the owner asks for the outcome later.
package protocol PowerCycle: AnyObject {
    /// Becomes readable with the outcome; `nil` if the outcome needs no wait.
    var descriptor: CInt? { get }

    /// The result; `nil` before the end.
    func outcome() -> Result<Void, Errno>?
}

/// A power cycle of a kernel adapter, on a thread of its own: the kernel waits up to ten seconds for a dead controller
/// (hci_dev_open).
final class AdapterPowerCycle: PowerCycle {
    private let call: BlockingCall<Result<Void, Errno>>?
    private var failure: Errno?

    /// - Parameter switchesOff: whether the adapter goes down first.
    init(device: UInt16, switchesOff: Bool) {
        do throws(Errno) {
            call = try BlockingCall(thread: "power") { Self.cycle(device, switchesOff) }
        } catch {
            call = nil
            failure = error
        }
    }

    var descriptor: CInt? { call?.descriptor }

    func outcome() -> Result<Void, Errno>? {
        if let failure { return .failure(failure) }
        return call?.takeResult()
    }

    private static func cycle(_ device: UInt16, _ switchesOff: Bool) -> Result<Void, Errno> {
        do throws(Errno) {
            let socket = try HCISocket(device: nil, channel: .raw)
            if switchesOff { try socket.switchPower(device, on: false) }
            try socket.switchPower(device, on: true)
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}
