import CBlueZ
import Glibc
import Posix

/// A socket of the kernel's HCI family: the one place that calls libbluetooth's interface.
final class HCISocket {
    enum Channel {
        case raw
        case user
    }

    /// What the kernel's own notices say of a device.
    enum Notice {
        case down
        case removed
    }

    /// A thousand-odd events on a kernel's usual buffer; this holds some seconds of a busy radio.
    private static let receiveBufferBytes: CInt = 4 << 20

    let descriptor: Descriptor

    /// - Parameter device: the adapter's index; `nil` for the kernel's notices about all of them.
    init(device: UInt16?, channel: Channel) throws(Errno) {
        descriptor = try Descriptor(from: { sightline_hci_socket() })
        let number = descriptor.rawValue
        let index = device.map(CInt.init) ?? CInt(sightline_no_device)
        let kind = CInt(channel == .raw ? sightline_channel_raw : sightline_channel_user)
        sightline_receive_buffer(number, Self.receiveBufferBytes)
        _ = try retryingInterrupts { sightline_hci_bind(number, index, kind) }
    }

    /// Only events with these codes are queued (raw channel).
    func filter(events: [UInt8]) throws(Errno) {
        let number = descriptor.rawValue
        _ = try retryingInterrupts { sightline_hci_filter(number, events, CInt(events.count)) }
    }

    func isUp(_ device: UInt16) throws(Errno) -> Bool {
        let number = descriptor.rawValue
        return try retryingInterrupts { sightline_hci_is_up(number, CInt(device)) } == 1
    }

    /// The indices of all adapters.
    var devices: [UInt16] {
        get throws(Errno) {
            let number = descriptor.rawValue
            var devices = [UInt16](repeating: 0, count: Int(sightline_max_devices))
            let count = try retryingInterrupts {
                sightline_hci_devices(number, &devices, sightline_max_devices)
            }
            return Array(devices.prefix(Int(count)))
        }
    }

    /// An adapter's own address, as a number; `nil` while the kernel does not know it.
    func address(of device: UInt16) throws(Errno) -> UInt64? {
        let number = descriptor.rawValue
        let address = sightline_hci_address(number, CInt(device))
        guard address >= 0 else { throw Errno.current }
        return address == 0 ? nil : UInt64(address)
    }

    /// Brings an adapter up or down; blocks until the controller has answered, or failed to.
    func switchPower(_ device: UInt16, on: Bool) throws(Errno) {
        let number = descriptor.rawValue
        do throws(Errno) {
            _ = try retryingInterrupts { sightline_hci_power(number, CInt(device), on ? 1 : 0) }
        } catch {
            // It is up already.
            guard on, error == .alreadyInProgress else { throw error }
        }
    }

    /// Whether another program has the device that this raw socket is bound to through the user channel.
    var isTaken: Bool { sightline_hci_is_taken(descriptor.rawValue) == 1 }

    /// Packets that found the receive buffer full.
    var drops: Int { Int(sightline_receive_drops(descriptor.rawValue)) }

    /// What a packet of a socket without a device says of `device`.
    static func notice(of device: UInt16, in packet: UnsafeRawBufferPointer) -> Notice? {
        var index: CInt = -1
        let bytes = packet.bindMemory(to: UInt8.self)
        let event = sightline_device_notice(bytes.baseAddress, bytes.count, &index)
        guard index == CInt(device) else { return nil }
        return switch event {
        case CInt(sightline_device_down): .down
        case CInt(sightline_device_removed): .removed
        default: nil
        }
    }

    /// The code of the events that carry notices.
    static let noticeEvent = UInt8(EVT_STACK_INTERNAL)
}
