import Beacons
import Foundation
import HCI
import TestVectors
import Testing

@testable import Radio

@Suite struct ReplayTests {
    private static let report = Advertisements.legacyEvent(
        Advertisements.legacyReport(Advertisements.iBeacon(7)))

    /// Plays a capture from a temporary file, and returns its events and the failure.
    private static func play(
        _ file: [UInt8], choice: String = "", atMost events: Int = .max
    ) throws -> (times: [Int64], failure: String?) {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("sightline-\(UUID().uuidString).btsnoop").path
        try Data(file).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        var times: [Int64] = []
        do throws(Replay.Failure) {
            let replay = try Replay(CaptureName(parsing: path + choice))
            try replay.play { event, record in
                times.append(record.instant.microseconds)
                #expect(event.copied() == report)
                return times.count < events
            }
            return (times, nil)
        } catch {
            #expect(error.description.hasPrefix("\(path): "))
            return (times, String(error.description.dropFirst(path.count + 2)))
        }
    }

    private static func capture(_ count: Int) -> [UInt8] {
        (0..<count).reduce(Captures.header(link: 1002)) {
            $0 + Captures.record([0x04] + report, at: Int64($1))
        }
    }

    @Test("each event is played with its time")
    func plays() throws {
        #expect(try Self.play(Self.capture(3)) == ([0, 1, 2], nil))
        #expect(try Self.play(Self.capture(0)) == ([], nil))
    }

    @Test("of a capture with two adapters, one is played; without a choice, none")
    func adapters() throws {
        // Linux monitor: the upper half of the flags is the adapter, the lower half the opcode.
        let reset: [UInt8] = [0x0e, 0x04, 0x01, 0x03, 0x0c, 0x00]
        let file =
            Captures.header(link: 2001)
            + Captures.record(Self.report, flags: 0x0000_0003, at: 0)
            + Captures.record(Self.report, flags: 0x0001_0003, at: 1)
            + Captures.record(Self.report, flags: 0x0000_0003, at: 2)
        #expect(try Self.play(file, choice: "#hci0") == ([0, 2], nil))
        #expect(try Self.play(file, choice: "#hci1") == ([1], nil))
        for choice in ["", "#hci2"] {
            let result = try Self.play(file, choice: choice)
            #expect(result.times.isEmpty)
            #expect(result.failure?.contains("reports of hci0, hci1: choose one") == true)
        }
        // An adapter without reports does not count.
        let single =
            Captures.header(link: 2001) + Captures.record(reset, flags: 0x0001_0003, at: 0)
            + Captures.record(Self.report, flags: 0x0002_0003, at: 1)
        #expect(try Self.play(single, choice: "#hci2") == ([1], nil))
        let unnamed = try Self.play(Self.capture(1), choice: "#hci0")
        #expect(unnamed.failure?.contains("names no adapters") == true)
    }

    @Test("a name ends with an adapter after a hash")
    func names() {
        #expect(CaptureName(parsing: "a#b.btsnoop").path == "a#b.btsnoop")
        #expect(CaptureName(parsing: "a#b.btsnoop").adapter == nil)
        #expect(CaptureName(parsing: "a#b#hci12").path == "a#b")
        #expect(CaptureName(parsing: "a#b#hci12").adapter == 12)
        #expect(CaptureName(parsing: "a#hci").adapter == nil)
        #expect(CaptureName(parsing: "a#hci70000").path == "a#hci70000")
    }

    @Test("playing ends when the listener returns false")
    func ends() throws {
        #expect(try Self.play(Self.capture(3), atMost: 2) == ([0, 1], nil))
    }

    @Test("a truncated capture is played up to the damage, which is reported")
    func truncated() throws {
        let result = try Self.play(Self.capture(3).dropLast(1))
        #expect(result.times == [0, 1])
        #expect(result.failure?.contains("the file is truncated") == true)
    }

    @Test(
        "a file that is no capture is rejected",
        arguments: [[], [0x1f, 0x8b, 0x08], [UInt8](repeating: 0, count: 99)])
    func foreign(file: [UInt8]) throws {
        let result = try Self.play(file)
        #expect(result.times.isEmpty)
        #expect(result.failure?.contains("not a btsnoop capture") == true)
    }

    @Test("a missing file and a folder are rejected by name")
    func missing() {
        for path in ["/nonexistent/capture", "/"] {
            #expect {
                _ = try Replay(CaptureName(parsing: path))
            } throws: {
                "\($0)".hasPrefix("\(path): ")
            }
        }
    }
}
