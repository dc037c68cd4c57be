import Posix

/// An adapter's way down and up again, which takes its time: it is begun, and asked later for its outcome.
package protocol PowerCycle: AnyObject {
    /// To wait on: readable once there is an outcome; `nil` where it is there at once.
    var descriptor: CInt? { get }

    /// What came of it; `nil` while it is under way.
    func outcome() -> Result<Void, Errno>?
}

/// The same for one of the kernel's adapters, on a thread of its own: the kernel waits for a controller that may be dead
/// (hci_dev_open, up to ten seconds).
final class AdapterPowerCycle: PowerCycle {
    private let box: Mailbox<Result<Void, Errno>>?
    private var failure: Errno?

    /// Begins.
    init(device: UInt16) {
        do throws(Errno) {
            let box = try Mailbox<Result<Void, Errno>>(capacity: 1)
            let thread = try Thread(name: "power") { box.post(Self.cycle(device)) }
            thread.detach()
            self.box = box
        } catch {
            box = nil
            failure = error
        }
    }

    var descriptor: CInt? { box?.descriptor }

    func outcome() -> Result<Void, Errno>? {
        if let failure { return .failure(failure) }
        return box?.take().first
    }

    private static func cycle(_ device: UInt16) -> Result<Void, Errno> {
        do throws(Errno) {
            let socket = try HCISocket(device: nil, channel: .raw)
            try socket.switchPower(device, on: false)
            try socket.switchPower(device, on: true)
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}
