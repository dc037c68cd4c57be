import Posix

/// Where a controller is found.
package enum ControllerSource: Equatable, Sendable {
    /// The kernel's raw channel: shared with the kernel and every other program.
    case raw(device: UInt16)
    /// The kernel's user channel: the controller is ours alone.
    case user(device: UInt16)
    /// A controller at the other end of a byte stream; it is ours alone.
    case h4(Sockets.Address)
    /// The same, open already; it has only a name.
    case stream(name: String)
}

extension ControllerSource: CustomStringConvertible {
    /// As it is written on the command line.
    package var description: String {
        switch self {
        case .raw(let device): "hci\(device)"
        case .user(let device): "hci\(device):user"
        case .h4(let address): "h4:\(address)"
        case .stream(let name): name
        }
    }
}
