import Posix

/// What the kernel says of an adapter, which is not touched by the question.
package struct AdapterState: Equatable, Sendable {
    package var isUp: Bool
    /// `false` where the kernel knows none: the controller's firmware is missing, as likely as not.
    package var hasAddress: Bool
    /// Another program has it through the user channel.
    package var isTaken: Bool

    package init(isUp: Bool, hasAddress: Bool = true, isTaken: Bool = false) {
        self.isUp = isUp
        self.hasAddress = hasAddress
        self.isTaken = isTaken
    }

    /// Asks; `exclusive` says how the adapter is to be used, for the failure's words.
    package init(device: UInt16, exclusive: Bool) throws(RadioFailure) {
        do throws(Errno) {
            let socket = try HCISocket(device: nil, channel: .raw)
            self.init(
                isUp: try socket.isUp(device), hasAddress: try socket.address(of: device) != nil)
        } catch {
            throw RadioFailure.system(
                error, exclusive ? .user(device: device) : .raw(device: device))
        }
        // Who may not bind is told so elsewhere.
        let bound = try? HCISocket(device: device, channel: .raw)
        isTaken = bound?.isTaken ?? false
    }
}
