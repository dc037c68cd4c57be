import Posix

/// The kernel's view of an adapter. Reading it does not change the adapter.
package struct AdapterState: Equatable, Sendable {
    package var isUp: Bool
    /// `false` if the kernel knows no address: the controller's firmware is probably missing.
    package var hasAddress: Bool
    /// Whether another program has exclusive access through the user channel.
    package var isTaken: Bool

    package init(isUp: Bool, hasAddress: Bool = true, isTaken: Bool = false) {
        self.isUp = isUp
        self.hasAddress = hasAddress
        self.isTaken = isTaken
    }

    /// - Parameter exclusive: the intended use of the adapter, for the text of a failure.
    package init(device: UInt16, exclusive: Bool) throws(RadioFailure) {
        do throws(Errno) {
            let socket = try HCISocket(device: nil, channel: .raw)
            self.init(
                isUp: try socket.isUp(device), hasAddress: try socket.address(of: device) != nil)
        } catch {
            throw RadioFailure.system(
                error, exclusive ? .user(device: device) : .raw(device: device))
        }
        // A missing permission is another check's result.
        let bound = try? HCISocket(device: device, channel: .raw)
        isTaken = bound?.isTaken ?? false
    }
}
