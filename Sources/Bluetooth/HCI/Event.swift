import Primitives

/// An event from the controller, as far as the agent cares (Core 5.4 Vol 4 Part E 7.7).
///
/// Ranges are offsets in the event packet, which begins with the event code.
package enum Event: Equatable {
    /// A command is done; `answer` are its return parameters, which begin with the status (7.7.14).
    case commandComplete(opcode: Opcode, credits: UInt8, answer: Range<Int>)
    /// A command was taken up or refused (7.7.15).
    case commandStatus(opcode: Opcode, credits: UInt8, status: Status)
    /// The controller's own hardware failed (7.7.16).
    case hardwareError(code: UInt8)
    /// Advertising reports, legacy or extended (7.7.65.2, 7.7.65.13).
    case advertisingReports
    /// An event that is none of our business.
    case other(code: UInt8)

    package enum Code {
        package static let commandComplete: UInt8 = 0x0e
        package static let commandStatus: UInt8 = 0x0f
        package static let hardwareError: UInt8 = 0x10
        package static let leMeta: UInt8 = 0x3e
    }

    package enum LESubevent {
        package static let advertisingReport: UInt8 = 0x02
        package static let extendedAdvertisingReport: UInt8 = 0x0d
    }

    /// An event packet that ends before its fields do.
    package struct Malformed: Error, Equatable {
        package let offset: Int
    }

    /// Bytes before the parameters: event code and length.
    static let headerCount = 2

    /// Reads an event packet; what its length field does not cover is not looked at.
    package init(_ packet: Bytes) throws(Malformed) {
        guard packet.count >= Self.headerCount else { throw Malformed(offset: packet.count) }
        let end = min(packet.count, Self.headerCount + Int(packet[1]))
        switch packet[0] {
        case Code.leMeta:
            self =
                AdvertisingReports(event: packet) == nil
                ? .other(code: Code.leMeta) : .advertisingReports
        case Code.commandComplete:
            guard end >= 5 else { throw Malformed(offset: end) }
            self = .commandComplete(
                opcode: Opcode(rawValue: packet.littleEndian16(at: 3)), credits: packet[2],
                answer: 5..<end)
        case Code.commandStatus:
            guard end >= 6 else { throw Malformed(offset: end) }
            self = .commandStatus(
                opcode: Opcode(rawValue: packet.littleEndian16(at: 4)), credits: packet[3],
                status: Status(rawValue: packet[2]))
        case Code.hardwareError:
            guard end >= 3 else { throw Malformed(offset: end) }
            self = .hardwareError(code: packet[2])
        default:
            self = .other(code: packet[0])
        }
    }
}
