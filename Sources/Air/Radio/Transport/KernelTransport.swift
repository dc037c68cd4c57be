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
    private var noticed = AdapterNotices()
    private let batch = PacketBatch()

    package let descriptors: [CInt]
    package let dialogueDescriptors: [CInt]
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
            dialogueDescriptors = (exclusive ? [notices] : [notices, commands]).map {
                $0.descriptor.rawValue
            }
            try readNotices()
            noticed.bound(isUp: try notices.isUp(device))
        } catch {
            throw RadioFailure.system(error, source)
        }
        if let failure { throw failure }
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

    package func send(_ command: HCICommand) throws(RadioFailure) {
        do throws(Errno) { try commands.descriptor.writeAll(command.packet) } catch {
            throw RadioFailure.system(error, source)
        }
    }

    package var stampsArrivals: Bool { (reports ?? commands).stampsPackets }

    package func drain(_ body: PacketHandler) throws(RadioFailure) -> Bool {
        // Reports first: an answer may end the scan that delivered them.
        let failures = [reports, commands].compactMap(\.self).compactMap { drain($0, body) }
        if let error = failures.first { throw RadioFailure.system(error, source) }
        if let failure = readFailure() { throw failure }
        return true
    }

    /// Reads all packets of the receive buffer, also those behind an error, which the kernel reports first.
    private func drain(_ socket: HCISocket, _ body: PacketHandler) -> Errno? {
        var failure: Errno?
        for _ in 0..<2 {
            do throws(Errno) {
                _ = try read(socket, HCISocket.mostQueuedPackets, body)
                break
            } catch {
                failure = failure ?? error
            }
        }
        return failure
    }

    package func receive(_ body: PacketHandler) throws(RadioFailure) -> Bool {
        var failure: RadioFailure?
        var isDrained = false
        do throws(Errno) {
            isDrained = try read(commands, Self.burst, body)
            // No answer is among these.
            if let reports { _ = try read(reports, Self.burst, body) }
        } catch {
            failure = RadioFailure.system(error, source)
        }
        guard let reason = failure ?? readFailure() else { return isDrained }
        // The kernel reports the end before the events, once for each socket.
        for socket in [commands, reports].compactMap(\.self) { _ = drain(socket, body) }
        throw reason
    }

    /// Hands out packets without their H4 type byte.
    ///
    /// - Returns: whether the socket is empty.
    private func read(
        _ socket: HCISocket, _ limit: Int, _ body: PacketHandler
    ) throws(Errno) -> Bool {
        try socket.receive(through: batch, limit: limit) { packet in
            guard let first = packet.bytes.first, let type = H4.PacketType(rawValue: first) else {
                return
            }
            lend(UnsafeBufferPointer(rebasing: packet.bytes.dropFirst())) {
                body(type, $0, packet.arrival)
            }
        }
    }

    private func readNotices() throws(Errno) {
        _ = try notices.receive(through: batch, limit: Self.burst) { packet in
            let bytes = UnsafeRawBufferPointer(packet.bytes)
            if let notice = HCISocket.notice(of: device, in: bytes) { noticed.on(notice) }
        }
    }

    /// The failure that the notices about the adapter imply.
    private var failure: RadioFailure? {
        switch noticed.end {
        case .down: .system(.networkDown, source)
        case .removed: .system(.brokenPipe, source)
        case nil: nil
        }
    }

    private func readFailure() -> RadioFailure? {
        do throws(Errno) { try readNotices() } catch {
            return failure ?? RadioFailure.system(error, source)
        }
        return failure
    }
}

/// What the kernel's notices say about an adapter that is in use.
///
/// A bound user channel does not keep the adapter up. `hciconfig down` looks for a user before it waits, and the kernel's
/// power-off, two seconds after the setup, looks for none (Linux, hci_dev_close and hci_power_off). A socket that is
/// bound meanwhile stays open and silent.
struct AdapterNotices {
    /// The notice that ends the use.
    private(set) var end: HCISocket.Notice?

    mutating func on(_ notice: HCISocket.Notice) { end = end ?? notice }

    /// The sockets are bound; the notices until now are about an earlier use.
    ///
    /// - Parameter isUp: read after those notices, since one of them may be about this use.
    mutating func bound(isUp: Bool) { end = isUp ? nil : .down }
}
