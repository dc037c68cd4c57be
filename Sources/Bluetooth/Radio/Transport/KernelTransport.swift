import HCI
import Posix
import Primitives

/// The kernel's way to an adapter, through the raw or the user channel (BlueZ, hci_sock).
///
/// On the raw channel answers and reports come through two sockets: a flood of reports that fills the one can't
/// drown the answer to a command in the other.
package final class KernelTransport: Transport {
    private let source: ControllerSource
    private let device: UInt16
    private let commands: HCISocket
    /// `nil` on the user channel, where everything comes through `commands`.
    private let reports: HCISocket?
    private let notices: HCISocket
    private var buffer = [UInt8](repeating: 0, count: 2048)

    package let isExclusive: Bool

    /// Packets read before the poll is asked again, so that timers get their turn in a flood.
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
                try commands.filter(events: [
                    Event.Code.commandComplete, Event.Code.commandStatus, Event.Code.hardwareError,
                ])
                let reports = try HCISocket(device: device, channel: .raw)
                try reports.filter(events: [Event.Code.leMeta])
                self.reports = reports
            }
        } catch {
            throw RadioFailure.system(error, source)
        }
    }

    /// Binding fails on an adapter that is missing, up, or taken; the kernel has one error for the last two.
    private static func takeOver(_ device: UInt16) throws(Errno) -> HCISocket {
        do throws(Errno) {
            return try HCISocket(device: device, channel: .user)
        } catch {
            let isTaken =
                error == .busy ? try HCISocket(device: device, channel: .raw).isTaken : false
            throw isTaken ? .tooManyUsers : error
        }
    }

    package var descriptors: [CInt] {
        let all = [notices.descriptor.rawValue, commands.descriptor.rawValue]
        return reports.map { all + [$0.descriptor.rawValue] } ?? all
    }

    package var drops: Int { commands.drops + (reports.map { $0.drops } ?? 0) }

    package func send(_ command: Command) throws(RadioFailure) {
        do throws(Errno) { try commands.descriptor.writeAll(command.packet) } catch {
            throw RadioFailure.system(error, source)
        }
    }

    package func receive(_ body: (Bytes) -> Void) throws(RadioFailure) {
        var failure = drain(commands.descriptor, Self.burst, body)
        if failure == nil { failure = reports.flatMap { drain($0.descriptor, Self.burst, body) } }
        let notice = heedNotices()
        guard let reason = failure.map({ RadioFailure.system($0, source) }) ?? notice else {
            return
        }
        readOut(body)
        throw reason
    }

    /// Reads what came before the end: the kernel tells of the end first, once on each socket.
    private func readOut(_ body: (Bytes) -> Void) {
        for _ in 0..<2 {
            _ = drain(commands.descriptor, .max, body)
            if let reports { _ = drain(reports.descriptor, .max, body) }
        }
    }

    /// One packet a read, the H4 type byte first.
    private func drain(
        _ socket: borrowing Descriptor, _ limit: Int, _ body: (Bytes) -> Void
    ) -> Errno? {
        for _ in 0..<limit {
            let count: Int
            do throws(Errno) {
                guard let some = try read(socket), some > 0 else { return nil }
                count = some
            } catch {
                return error
            }
            guard buffer[0] == H4.PacketType.event.rawValue else { continue }
            buffer.withUnsafeBufferPointer { bytes in
                lend(UnsafeBufferPointer(rebasing: bytes[1..<count]), body)
            }
        }
        return nil
    }

    private func read(_ socket: borrowing Descriptor) throws(Errno) -> Int? {
        let number = socket.rawValue
        let count = buffer.withUnsafeMutableBytes { Descriptor.read(number, into: $0) }
        return try count.get()
    }

    /// What has become of the adapter, if that ends the listening.
    private func heedNotices() -> RadioFailure? {
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
