import CBlueZ
import Glibc
import Posix

/// A socket of the kernel's HCI family. With `PacketBatch`, the only caller of libbluetooth's interface.
final class HCISocket {
    enum Channel {
        case raw
        case user
    }

    /// A kernel notice about a device.
    enum Notice {
        case down
        case removed
    }

    /// Holds a few seconds of a busy radio. The kernel's default holds about a thousand events.
    private static let receiveBufferBytes: CInt = 4 << 20
    /// More packets than the receive buffer holds.
    static let mostQueuedPackets = 1 << 15

    let descriptor: Descriptor
    /// Whether the kernel tells when it received a packet.
    let stampsPackets: Bool

    /// - Parameter device: the adapter's index; `nil` for the kernel's notices about all adapters.
    init(device: UInt16?, channel: Channel) throws(Errno) {
        descriptor = try Descriptor(from: { sightline_hci_socket() })
        let number = descriptor.rawValue
        let index = device.map(CInt.init) ?? CInt(sightline_no_device)
        let kind = CInt(channel == .raw ? sightline_channel_raw : sightline_channel_user)
        sightline_receive_buffer(number, Self.receiveBufferBytes)
        stampsPackets = sightline_stamp_packets(number, kind) == 0
        _ = try retryingInterrupts { sightline_hci_bind(number, index, kind) }
    }

    /// Limits the queue to events with these codes (raw channel).
    ///
    /// - Parameter commands: whether to receive the commands that the kernel and other programs send, too.
    func filter(events: [UInt8], commands: Bool = false) throws(Errno) {
        let number = descriptor.rawValue
        _ = try retryingInterrupts {
            sightline_hci_filter(number, events, CInt(events.count), commands ? 1 : 0)
        }
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

    /// An adapter's own address as a number; `nil` if the kernel does not know it.
    func address(of device: UInt16) throws(Errno) -> UInt64? {
        let number = descriptor.rawValue
        let address = sightline_hci_address(number, CInt(device))
        guard address >= 0 else { throw Errno.current }
        return address == 0 ? nil : UInt64(address)
    }

    /// Brings an adapter up or down. Blocks until the controller answers or the kernel gives up.
    func switchPower(_ device: UInt16, on: Bool) throws(Errno) {
        let number = descriptor.rawValue
        do throws(Errno) {
            _ = try retryingInterrupts { sightline_hci_power(number, CInt(device), on ? 1 : 0) }
        } catch {
            // The adapter is up already.
            guard on, error == .alreadyInProgress else { throw error }
        }
    }

    /// Hands out queued packets, and stops after a batch that reaches `limit`.
    ///
    /// - Returns: whether the queue is empty.
    func receive(
        through batch: PacketBatch, limit: Int, _ body: (PacketBatch.Packet) -> Void
    ) throws(Errno) -> Bool {
        var left = limit
        while left > 0 {
            let mayFollow = try batch.fill(from: descriptor.rawValue)
            batch.forEach(body)
            guard mayFollow else { return true }
            left -= PacketBatch.capacity
        }
        return false
    }

    /// Whether another program uses the bound device through the user channel.
    var isTaken: Bool { sightline_hci_is_taken(descriptor.rawValue) == 1 }

    /// The number of packets that did not fit into the receive buffer.
    var drops: Int { Int(sightline_receive_drops(descriptor.rawValue)) }

    /// The notice about `device` in a packet of a socket that has no device.
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

    /// Whether a packet about all devices shows that an adapter has appeared or come up.
    ///
    /// - Parameter exclusive: for the user channel. Then an adapter that has gone down counts, too.
    static func isArrival(_ packet: UnsafeRawBufferPointer, exclusive: Bool) -> Bool {
        var index: CInt = -1
        let bytes = packet.bindMemory(to: UInt8.self)
        let event = sightline_device_notice(bytes.baseAddress, bytes.count, &index)
        switch event {
        case CInt(sightline_device_added), CInt(sightline_device_up): return true
        case CInt(sightline_device_down): return exclusive
        default: return false
        }
    }

    /// The event code of notices.
    static let noticeEvent = UInt8(EVT_STACK_INTERNAL)
}
