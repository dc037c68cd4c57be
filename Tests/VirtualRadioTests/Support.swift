import Beacons
import Contract
import Foundation
import HCI
import Primitives
import Testing

@testable import VirtualRadio

/// The UUID of the scenarios in these tests.
let organisation = ProximityUUID(high: 0xe2c5_6db5_dffb_48d2, low: 0xb060_d0f5_a710_96e0)

/// A scenario of this repository.
func scenario(_ name: String) throws -> Scenario {
    let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let file = root.appendingPathComponent("config/scenarios/\(name).json")
    return try Scenario(parsing: Array(try Data(contentsOf: file)))
}

/// Bytes from hexadecimal digits; the rest of a line after `//` is a comment.
func hex(_ text: String) -> [UInt8] {
    let digits = text.split(separator: "\n")
        .map { $0.components(separatedBy: "//")[0] }.joined()
        .filter { !$0.isWhitespace }
    return stride(from: 0, to: digits.count, by: 2).compactMap { offset in
        let start = digits.index(digits.startIndex, offsetBy: offset)
        return UInt8(digits[start...].prefix(2), radix: 16)
    }
}

/// Hexadecimal digits from bytes.
func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String(format: "%02x", $0) }.joined(separator: " ")
}

/// Times of a test's clock.
extension Instant {
    static func microseconds(_ number: Int64) -> Instant { Instant(microseconds: number) }
    static func seconds(_ number: Int64) -> Instant { Instant(microseconds: number * 1_000_000) }

    /// The times from `start` until just before `end`.
    static func steps(from start: Instant, to end: Instant, by step: Duration) -> [Instant] {
        stride(from: start.microseconds, to: end.microseconds, by: Int(step.microseconds))
            .map { Instant(microseconds: $0) }
    }
}

/// A controller, and its answers to commands.
struct Conversation {
    var controller: SimulatedController
    var time = Instant(microseconds: 0)

    init(_ family: CommandFamily, simultaneous: Bool = true) {
        var configuration = SimulatedController.Configuration(
            family: family, address: 0x0200_0000_0001)
        configuration.canScanWhileAdvertising = simultaneous
        self.init(configuration)
    }

    init(_ configuration: SimulatedController.Configuration) {
        controller = SimulatedController(configuration)
    }

    /// The controller's output after these bytes.
    mutating func send(_ bytes: [UInt8]) -> [UInt8] {
        controller.receive(bytes, at: time)
        return controller.takeOutput()
    }

    /// The status in the answer to a command; `nil` without an answer or with another one.
    @discardableResult
    mutating func status(_ command: HCICommand) -> UInt8? {
        let answer = send(command.packet)
        let opcode = command.opcode.rawValue.littleEndianBytes
        if answer.count >= 7, answer[1] == 0x0e, Array(answer[4...5]) == opcode { return answer[6] }
        if answer.count == 7, answer[1] == 0x0f, Array(answer[5...6]) == opcode { return answer[3] }
        return nil
    }

    @discardableResult
    mutating func status(_ opcode: UInt16, _ parameters: String) -> UInt8? {
        status(HCICommand(Opcode(rawValue: opcode), hex(parameters)))
    }

    /// Starts a scan as the agent does.
    mutating func scan(_ family: CommandFamily, _ timing: ScanTiming = .continuous) {
        for command in [
            .reset, .setEventMask, .leSetEventMask, .scanParameters(timing, family),
            .scanEnable(true, family),
        ] as [HCICommand] {
            #expect(status(command) == 0, "\(command.opcode)")
        }
    }
}

/// The reports in a stream of H4 events.
func reports(in stream: [UInt8]) throws -> [(report: AdvertisingReport, data: [UInt8])] {
    var found: [(AdvertisingReport, [UInt8])] = []
    var offset = 0
    while offset < stream.count {
        let start = offset
        let packet = try stream.withBytes { try H4.packet(in: $0, at: start) }
        guard let packet else { break }
        offset = packet.body.upperBound
        let event = Array(stream[packet.body])
        try event.withBytes { bytes in
            guard var walk = AdvertisingReports(event: bytes) else { return }
            while let report = try walk.next(in: bytes) {
                found.append((report, Array(event[report.data])))
            }
        }
    }
    return found
}

enum JSONReading {
    /// An object, parsed by Foundation as an independent reader.
    static func object(_ text: String) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(value as? [String: Any])
    }
}
