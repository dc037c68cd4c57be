import TestVectors
import Testing

@testable import HCI

@Suite struct BtsnoopTests {
    struct Seen: Equatable {
        var microseconds: Int64
        var drops: UInt32
        var event: String
    }

    struct Result: Equatable {
        var seen: [Seen] = []
        var failure: Btsnoop.Failure?
    }

    /// All events of a capture, and why it could not be read on.
    private static func read(_ file: [UInt8]) -> Result {
        file.withBytes { file in
            var seen: [Seen] = []
            do throws(Btsnoop.Failure) {
                var walk = try Btsnoop(file)
                while let record = try walk.next(in: file) {
                    let event = file.extracting(record.event).copied()
                    seen.append(
                        Seen(
                            microseconds: record.instant.microseconds, drops: record.drops,
                            event: digits(event)))
                }
                return Result(seen: seen)
            } catch {
                return Result(seen: seen, failure: error)
            }
        }
    }

    private static let event = hex("3e 02 02 00")
    private static let time: Int64 = 1_780_000_000_123_456
    private static let seen = [Seen(microseconds: time, drops: 0, event: "3e020200")]

    @Test("a header and a record are read byte by byte")
    func layout() {
        let file = hex(
            """
            62 74 73 6e 6f 6f 70 00     # "btsnoop"
            00 00 00 01                 # version 1
            00 00 03 ea                 # link type 1002: H4
            00 00 00 05                 # original length
            00 00 00 05                 # included length
            00 00 00 03                 # flags: received, event
            00 00 00 02                 # drops
            00 dc dd b3 0f 2f 80 01     # 1970-01-01 and a microsecond
            04 3e 02 02 00
            """)
        let result = Self.read(file)
        #expect(result.seen == [Seen(microseconds: 1, drops: 2, event: "3e020200")])
        #expect(result.failure == nil)
    }

    @Test("H4: the type byte marks event packets, whatever the flags")
    func h4() {
        let file =
            Captures.header(link: 1002)
            + Captures.record([0x01] + hex("03 0c 00"), flags: 2, at: Self.time)
            + Captures.record([], at: Self.time)
            + Captures.record([0x02] + Self.event, flags: 1, at: Self.time)
            + Captures.record([0x04] + Self.event, flags: 1, at: Self.time)
        #expect(Self.read(file) == Result(seen: Self.seen))
    }

    @Test("Linux monitor: opcode 3 marks events of any adapter")
    func monitor() {
        let file =
            Captures.header(link: 2001)
            + Captures.record(hex("00 01 02 03"), flags: 0, at: Self.time)
            + Captures.record(hex("03 0c 00"), flags: 2, at: Self.time)
            + Captures.record(Self.event, flags: 0x0001_0003, at: Self.time)
            + Captures.record(hex("ff"), flags: 0xffff_000c, at: Self.time)
        #expect(Self.read(file) == Result(seen: Self.seen))
    }

    @Test("bare HCI: the flags mark received events")
    func hci() {
        let file =
            Captures.header(link: 1001)
            + Captures.record(hex("03 0c 00"), flags: 2, at: Self.time)
            + Captures.record(hex("40 00 00 00"), flags: 1, at: Self.time)
            + Captures.record(Self.event, flags: 3, at: Self.time)
        #expect(Self.read(file) == Result(seen: Self.seen))
    }

    @Test("a header without records is an empty capture")
    func empty() {
        #expect(Self.read(Captures.header(link: 1002)) == Result())
    }

    @Test("a capture that is cut anywhere yields its whole records and the offset of the damage")
    func truncated() {
        let record = Captures.record([0x04] + Self.event, at: Self.time)
        let header = Captures.header(link: 1002)
        let file = header + record + record
        for end in header.count + record.count + 1..<file.count {
            let result = Self.read(Array(file[..<end]))
            #expect(result.seen == Self.seen, "cut at \(end)")
            #expect(result.failure == .truncated(offset: header.count + record.count))
        }
        for end in header.count + 1..<header.count + record.count {
            #expect(
                Self.read(Array(file[..<end])) == Result(failure: .truncated(offset: header.count)),
                "cut at \(end)")
        }
    }

    @Test("a record with a length of four gigabytes is truncated")
    func enormous() {
        var file = Captures.header(link: 1002) + Captures.record(Self.event, at: 0)
        for index in 20..<24 { file[index] = 0xff }
        #expect(Self.read(file) == Result(failure: .truncated(offset: 16)))
    }

    @Test(
        "an unsupported file is rejected with the reason",
        arguments: [
            ([], .notBtsnoop), (Array("btsnoop".utf8), .notBtsnoop),
            (Array(Captures.header(link: 1002).dropLast()), .notBtsnoop),
            (hex("1f 8b 08 00 00 00 00 00 00 03 00 00 00 00 00 00 00 00"), .notBtsnoop),
            (hex("d4 c3 b2 a1 02 00 04 00 00 00 00 00 00 00 00 00"), .otherCapture("pcap")),
            (hex("a1 b2 3c 4d 00 02 00 04 00 00 00 00 00 00 00 00"), .otherCapture("pcap")),
            (hex("0a 0d 0d 0a 1c 00 00 00 4d 3c 2b 1a 01 00 00 00"), .otherCapture("pcapng")),
            (Captures.header(link: 1002, version: 2), .unsupportedVersion(2)),
            (Captures.header(link: 1003), .unsupportedLink(1003)),
            (Captures.header(link: .max), .unsupportedLink(.max)),
        ] as [([UInt8], Btsnoop.Failure)])
    func foreign(file: [UInt8], failure: Btsnoop.Failure) {
        #expect(Self.read(file) == Result(failure: failure))
    }

    @Test(
        "a failure describes the found and the expected value",
        arguments: [
            (Btsnoop.Failure.notBtsnoop, ["btsnoop", "unpack a compressed file first"]),
            (.otherCapture("pcapng"), ["a pcapng capture", "editcap -F btsnoop"]),
            (.unsupportedVersion(2), ["version 2", "version 1"]),
            (.unsupportedLink(1003), ["1003", "1001", "1002", "2001"]),
            (.truncated(offset: 56), ["byte 56", "were read"]),
        ])
    func describes(failure: Btsnoop.Failure, words: [String]) {
        for word in words { #expect("\(failure)".contains(word)) }
    }

    @Test(
        "impossible times are clamped, so that sums and differences can't overflow",
        arguments: [Int64.min, .min + 1, .max, .max - 1] as [Int64])
    func extremeTimes(stamp: Int64) throws {
        let file =
            Captures.header(link: 1002) + Captures.record([0x04] + Self.event, stamp: stamp)
        let record = try #require(Self.read(file).seen.first)
        #expect(record.microseconds.magnitude <= 1 << 61)
        #expect((record.microseconds > 0) == (stamp > 0))
    }
}
