import Primitives

/// An event from the controller (Core 5.4 Vol 4 Part E 7.7).
///
/// Ranges are offsets in the event packet, which starts with the event code.
package enum Event: Equatable {
    /// A command has ended; `answer` are its return parameters, which start with the status (7.7.14).
    case commandComplete(opcode: Opcode, credits: UInt8, answer: Range<Int>)
    /// The controller has accepted or refused a command (7.7.15).
    case commandStatus(opcode: Opcode, credits: UInt8, status: HCIStatus)
    /// The controller's hardware has failed (7.7.16).
    case hardwareError(code: UInt8)
    /// Advertising reports, legacy or extended (7.7.65.2, 7.7.65.13).
    case advertisingReports(AdvertisingReports)
    /// An event that the gateway does not use.
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

    /// Reads an event packet, and ignores bytes beyond its length field.
    package init(_ packet: Bytes) throws(Malformed) {
        guard packet.count >= Self.headerCount else { throw Malformed(offset: packet.count) }
        let end = min(packet.count, Self.headerCount + Int(packet[1]))
        switch packet[0] {
        case Code.leMeta:
            self =
                AdvertisingReports(event: packet).map { .advertisingReports($0) }
                ?? .other(code: Code.leMeta)
        case Code.commandComplete:
            guard end >= 5 else { throw Malformed(offset: end) }
            self = .commandComplete(
                opcode: Opcode(rawValue: packet.littleEndian16(at: 3)), credits: packet[2],
                answer: 5..<end)
        case Code.commandStatus:
            guard end >= 6 else { throw Malformed(offset: end) }
            self = .commandStatus(
                opcode: Opcode(rawValue: packet.littleEndian16(at: 4)), credits: packet[3],
                status: HCIStatus(rawValue: packet[2]))
        case Code.hardwareError:
            guard end >= 3 else { throw Malformed(offset: end) }
            self = .hardwareError(code: packet[2])
        default:
            self = .other(code: packet[0])
        }
    }
}
