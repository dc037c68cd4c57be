import Glibc
import Posix

/// The kernel's virtual HCI device: a process that opens it becomes the controller of a new adapter
/// (drivers/bluetooth/hci_vhci.c).
enum VHCI {
    /// The type byte of packets between the device and its owner that are not HCI.
    static let vendorPacket: UInt8 = 0xff
    /// A primary controller, without any quirk.
    private static let createPrimary: UInt8 = 0x00

    /// Opens the device and asks for an adapter.
    static func open(_ path: String) throws(Errno) -> Descriptor {
        let descriptor = try Descriptor(from: { Glibc.open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK) })
        try descriptor.writeAll([vendorPacket, createPrimary])
        return descriptor
    }
}
