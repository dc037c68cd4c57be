import HCI
import Posix
import Primitives

/// A transport through the kernel's raw or user channel (BlueZ, hci_sock).
///
/// On the raw channel, answers and reports have a socket each: reports that overflow one buffer can't displace an answer
/// in the other. The kernel also copies the commands of other programs, and its own, to the socket of the answers.
package final class KernelTransport: Transport {
    private let source: ControllerSource
    private let device: UInt16
    private let commands: HCISocket
    /// `nil` on the user channel, whose events all arrive through `commands`.
    private let reports: HCISocket?
    private let notices: HCISocket
    private var buffer = [UInt8](repeating: 0, count: 2048)

    package let descriptors: [CInt]
    package let isExclusive: Bool

    /// The limit of packets for one read, so that a flood does not delay timers.
    private static let burst = 256

    package init(device: UInt16, exclusive: Bool) throws(RadioFailure) {
        let source = exclusive ? ControllerSource.user(device: device) : .raw(device: device)
        self.source = source
        self.device = device
        isExclusive = exclusive
        do throws(Errno) {
            notices = try HCISocket(device: nil, channel: .raw)
            try notices.filter(events: [HCISocket.noticeEvent])
            if exclusive {
                commands = try Self.takeOver(device)
                reports = nil
            } else {
                guard try notices.isUp(device) else { throw .networkDown }
                commands = try HCISocket(device: device, channel: .raw)
                try commands.filter(
                    events: [
                        Event.Code.commandComplete, Event.Code.commandStatus,
                        Event.Code.hardwareError,
                    ], commands: true)
                let reports = try HCISocket(device: device, channel: .raw)
                try reports.filter(events: [Event.Code.leMeta])
                self.reports = reports
            }
            descriptors = [notices, commands, reports].compactMap { $0?.descriptor.rawValue }
        } catch {
            throw RadioFailure.system(error, source)
        }
    }

    /// Binding fails on an adapter that is missing, up, or in use. The kernel has one error for the last two causes.
    private static func takeOver(_ device: UInt16) throws(Errno) -> HCISocket {
        do throws(Errno) {
            return try HCISocket(device: device, channel: .user)
        } catch {
            let isTaken =
                error == .busy ? try HCISocket(device: device, channel: .raw).isTaken : false
            throw isTaken ? .tooManyUsers : error
        }
    }

    package var drops: Int { commands.drops + (reports.map { $0.drops } ?? 0) }

    package func send(_ command: Command) throws(RadioFailure) {
        do throws(Errno) { try commands.descriptor.writeAll(command.packet) } catch {
            throw RadioFailure.system(error, source)
        }
    }

    package var stampsArrivals: Bool { (reports ?? commands).stampsPackets }

    package func drain(
        _ body: (H4.PacketType, Bytes, Int64?) -> Void
    ) throws(RadioFailure) -> Bool {
        // Reports first: an answer may end the scan that delivered them.
        let failures = [reports, commands].compactMap(\.self).compactMap { drain($0, body) }
        if let error = failures.first { throw RadioFailure.system(error, source) }
        if let notice = readNotices() { throw notice }
        return true
    }

    /// Reads all packets of the receive buffer, also those behind an error, which the kernel reports first.
    private func drain(
        _ socket: HCISocket, _ body: (H4.PacketType, Bytes, Int64?) -> Void
    ) -> Errno? {
        var failure: Errno?
        for _ in 0..<HCISocket.mostQueuedPackets {
            switch buffer.withUnsafeMutableBytes({ socket.receive(into: $0) }) {
            case .success(nil), .success((0, _)?): return failure
            case .success(let packet?): hand(packet.count) { body($0, $1, packet.arrival) }
            case .failure(let error):
                guard failure == nil else { return error }
                failure = error
            }
        }
        return failure
    }

    package func receive(
        _ body: (H4.PacketType, Bytes) -> Void
    ) throws(RadioFailure) -> Bool {
        var failure: RadioFailure?
        var isDrained = false
        do throws(Errno) {
            isDrained = try drain(commands.descriptor, Self.burst, body)
            // No answer is among these.
            if let reports { _ = try drain(reports.descriptor, Self.burst, body) }
        } catch {
            failure = RadioFailure.system(error, source)
        }
        guard let reason = failure ?? readNotices() else { return isDrained }
        drainRest(body)
        throw reason
    }

    /// Reads the events before the end: the kernel reports the end first, once for each socket.
    private func drainRest(_ body: (H4.PacketType, Bytes) -> Void) {
        for _ in 0..<2 {
            _ = try? drain(commands.descriptor, .max, body)
            if let reports { _ = try? drain(reports.descriptor, .max, body) }
        }
    }

    /// Each read returns one packet, with the H4 type byte first.
    ///
    /// - Returns: whether the socket is empty.
    private func drain(
        _ socket: borrowing Descriptor, _ limit: Int, _ body: (H4.PacketType, Bytes) -> Void
    ) throws(Errno) -> Bool {
        for _ in 0..<limit {
            guard let count = try read(socket), count > 0 else { return true }
            hand(count, body)
        }
        return false
    }

    /// Hands out the packet in the buffer, without its H4 type byte.
    private func hand(_ count: Int, _ body: (H4.PacketType, Bytes) -> Void) {
        guard let type = H4.PacketType(rawValue: buffer[0]) else { return }
        buffer.withUnsafeBufferPointer { bytes in
            lend(UnsafeBufferPointer(rebasing: bytes[1..<count])) { body(type, $0) }
        }
    }

    private func read(_ socket: borrowing Descriptor) throws(Errno) -> Int? {
        let number = socket.rawValue
        let count = buffer.withUnsafeMutableBytes { Descriptor.read(number, into: $0) }
        return try count.get()
    }

    /// The failure that a notice about the adapter implies.
    private func readNotices() -> RadioFailure? {
        while true {
            let count: Int?
            do throws(Errno) { count = try read(notices.descriptor) } catch {
                return RadioFailure.system(error, source)
            }
            guard let count, count > 0 else { return nil }
            let notice = buffer.withUnsafeBytes {
                HCISocket.notice(of: device, in: UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            switch notice {
            case .down where !isExclusive: return RadioFailure.down(source, "hci\(device)")
            case .removed: return RadioFailure.system(.brokenPipe, source)
            default: break
            }
        }
    }
}
