import Posix

/// The place of a controller.
package enum ControllerSource: Equatable, Sendable {
    /// The kernel's raw channel: shared with the kernel and every other program.
    case raw(device: UInt16)
    /// The kernel's user channel: no other program can use the controller.
    case user(device: UInt16)
    /// A controller at the other end of a byte stream, without other users.
    case h4(Sockets.Address)
}

extension ControllerSource: CustomStringConvertible {
    /// The form that the command line uses.
    package var description: String {
        switch self {
        case .raw(let device): "hci\(device)"
        case .user(let device): "hci\(device):user"
        case .h4(let address): "h4:\(address)"
        }
    }
}
