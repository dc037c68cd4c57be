import CommandLine
import Foundation
import Primitives
import Terminal
import TestSupport
import Testing

@testable import Subcommands

@Suite("sightline decode")
struct DecodeCommandTests {
    /// A capture of H4 packets, one a second from 2026-05-28T20:26:40Z on.
    private static func capture(_ packets: [String]) throws -> [UInt8] {
        var bytes = Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 3, 0xea]
        var time: UInt64 = 0x00dc_ddb3_0f2f_8000 + 1_780_000_000_000_000
        for packet in packets {
            let packet = try Hexadecimal.bytes(of: packet)
            let count = UInt8(packet.count)
            bytes += [0, 0, 0, count, 0, 0, 0, count, 0, 0, 0, 3, 0, 0, 0, 0]
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: time >> UInt64(56 - 8 * $0)) }
            bytes += packet
            time += 1_000_000
        }
        return bytes
    }

    /// An iBeacon twice, the second time from another sender; no data; a cut report; +42 dBm; another event.
    private static var packets: [String] {
        let event = Advertisements.event
        return [
            event, event.replacingOccurrences(of: "2c1 1e", with: "2c2 1e"),
            "04 3e 0c 02 01 00 00 112233445566 00 c0", "04 3e 05 02 01 03 01 66",
            String(event.dropLast(2)) + "2a", "04 0e 04 01 0b 20 00",
        ]
    }

    private static func run(
        _ arguments: [String]
    ) throws -> (output: [String], errors: [String], status: ExitCode) {
        guard case .run(let invocation) = try DecodeCommand.command.parse(arguments) else {
            throw TestFailure("no invocation")
        }
        var output = ""
        var errors: [String] = []
        let status = try DecodeCommand(invocation)
            .run(to: &output) { errors.append($0) }
        return (output.split(separator: "\n").map(String.init), errors, status)
    }

    private static func write(_ bytes: [UInt8], in folder: TemporaryFolder) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: folder.file("a.btsnoop")))
        return folder.file("a.btsnoop")
    }

    @Test("the summary of a capture counts like the agent")
    func summary() throws {
        let folder = try TemporaryFolder()
        let path = try Self.write(Self.capture(Self.packets), in: folder)
        let (output, errors, status) = try Self.run([path])
        #expect(errors.isEmpty)
        #expect(status == .done)
        #expect(
            Array(output.dropFirst()) == [
                "  span        2026-05-28 20:26:40 to 20:26:45 UTC, 5.0 s",
                "  events      6, 5 of them advertising",
                "  reports     5: 5 legacy, 0 extended; 1 without data",
                "  faults      1 malformed, 1 implausible",
                "  senders     3 addresses: 1 public, 2 random static",
                "  iBeacons    2 reports of 1 identity",
                "  UUID                                  MAJOR  MINOR  POWER  REPORTS  RSSI MIN   MEAN  MAX  SENDERS  FIRST     LAST",
                "  e2c56db5-dffb-48d2-b060-d0f5a71096e0     42      7    -59        2       -71  -71.0  -71        2  20:26:40  20:26:41",
            ])
    }

    @Test("the summary counts iBeacons without their end, which are none")
    func cut() throws {
        let folder = try TemporaryFolder()
        let uuid = "e2c56db5dffb48d2b060d0f5a71096e0"
        let event = "04 3e 29 02 01 03 00 665544332211 1d 020106 19ff4c000215 \(uuid) 002a 0005 c4"
        let path = try Self.write(Self.capture([event, event]), in: folder)
        let (output, _, _) = try Self.run([path])
        #expect(
            output.suffix(2) == [
                "  iBeacons    0 reports of 0 identities",
                "  cut         2 reports with the beginning of an iBeacon; --all names what is missing",
            ])
    }

    @Test("with --all, every report is a line")
    func all() throws {
        let folder = try TemporaryFolder()
        let path = try Self.write(Self.capture(Self.packets), in: folder)
        let (output, _, _) = try Self.run(["--all", path])
        #expect(output.count == 5)
        #expect(
            output[0]
                == "2026-05-28T20:26:40.000Z  ADV_NONCONN_IND   -71 dBm  random static           "
                + "Flags 0x06 (LE General Discoverable, no BR/EDR); iBeacon e2c56db5-dffb-48d2-b060-d0f5a71096e0"
                + " major 42 minor 7 measured power -59 dBm")
        #expect(output[2].hasSuffix("ADV_IND           -64 dBm  public                  no data"))
        #expect(
            output[3]
                == "2026-05-28T20:26:43.000Z  MALFORMED: the report at byte 4 of its event is cut short"
        )
        #expect(output[4].hasSuffix("IMPLAUSIBLE RSSI"))
    }

    @Test("with --json, every line is a document", arguments: [["--json"], ["--json", "--all"]])
    func json(options: [String]) throws {
        let folder = try TemporaryFolder()
        let path = try Self.write(Self.capture(Self.packets), in: folder)
        let (output, _, _) = try Self.run(options + [path])
        #expect(output.count == (options.count == 1 ? 2 : 5))
        for line in output {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            #expect((object as? [String: Any])?["type"] is String)
        }
        let bytes = try JSONSerialization.jsonObject(
            with: Data(try Self.run(["--json", "020106"]).output.joined().utf8))
        #expect((bytes as? [String: Any])?["type"] as? String == "packet")
    }

    @Test("an empty file and a pipe are errors")
    func emptyAndPipe() throws {
        let folder = try TemporaryFolder()
        let empty = try Self.write([], in: folder)
        #expect(try Self.run([empty]).errors == ["\(empty) is empty"])
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(
            try Self.run([pipe]).errors
                == ["\(pipe) is a pipe; a capture must be a regular file"])
    }

    @Test(
        "a UUID has a hint in its error",
        arguments: [
            "e2c56db5-dffb-48d2-b060-d0f5a71096e0", "0x" + "e2c56db5-dffb-48d2-b060-d0f5a71096e0",
        ])
    func uuid(text: String) throws {
        let (_, errors, status) = try Self.run([text])
        #expect(errors.count == 1)
        #expect(
            errors.first?.hasSuffix("; the bytes look like a UUID, not like an advertisement")
                == true)
        #expect(status == .failed)
        #expect(try Self.run(["e2c56db5"]).errors.first?.contains("UUID") == false)
    }

    @Test("a damaged capture is read up to the damage")
    func truncated() throws {
        let folder = try TemporaryFolder()
        let whole = try Self.capture(Self.packets)
        let path = try Self.write(whole.dropLast(3), in: folder)
        let (output, errors, status) = try Self.run([path])
        #expect(output.contains("  events      5, 5 of them advertising"))
        #expect(errors.count == 1)
        #expect(errors.first?.contains("the file is truncated") == true)
        #expect(status == .failed)
    }

    @Test("every prefix of a capture is read or refused")
    func prefixes() throws {
        let folder = try TemporaryFolder()
        let whole = try Self.capture(Self.packets)
        for count in stride(from: 0, to: whole.count, by: 3) {
            let path = try Self.write(Array(whole.prefix(count)), in: folder)
            let (_, errors, status) = try Self.run([path])
            #expect((status == .done) == errors.isEmpty)
        }
    }

    @Test(
        "a time out of range does not stop the reader",
        arguments: [0x7f, 0x80, 0xff] as [UInt8])
    func absurdTime(byte: UInt8) throws {
        let folder = try TemporaryFolder()
        var bytes = try Self.capture(Self.packets)
        bytes[16 + 16] = byte
        let path = try Self.write(bytes, in: folder)
        #expect(try Self.run([path]).status == .done)
        #expect(try Self.run(["--all", path]).status == .done)
    }

    @Test(
        "unreadable input fails with one message",
        arguments: [
            ("/nowhere/a.btsnoop", "/nowhere/a.btsnoop: No such file or directory"),
            ("/", "/ is a folder; a capture must be a regular file"),
            ("/dev/null", "/dev/null is a device; a capture must be a regular file"),
        ])
    func unreadable(path: String, sentence: String) throws {
        let (output, errors, status) = try Self.run([path])
        #expect(output.isEmpty)
        #expect(errors == [sentence])
        #expect(status == .failed)
    }

    @Test(
        "hexadecimal digits may have any grouping",
        arguments: [
            ["020106"], ["02", "01", "06"], ["02 01", "06"], ["0x02,0x01,0x06"], ["02:01:06"],
        ])
    func digits(arguments: [String]) throws {
        let (output, _, status) = try Self.run(arguments)
        #expect(output.first == "advertising data, 3 bytes")
        #expect(status == .done)
    }

    @Test(
        "wrong use is reported",
        arguments: [
            (["zz"], "“zz” is not a file, and “z” at character 1 is not a hexadecimal digit"),
            (["02010"], "“02010” has 5 hexadecimal digits; an even number was expected"),
            (["--all", "0201"], "--all is for captures; bytes are always shown in full"),
            ([""], "“” is neither a file nor hexadecimal digits"),
        ])
    func wrongUse(arguments: [String], sentence: String) {
        #expect(throws: UsageError(sentence)) { try Self.run(arguments) }
    }
}
