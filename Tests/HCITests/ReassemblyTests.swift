import Primitives
import TestVectors
import Testing

@testable import HCI

@Suite struct ReassemblyTests {
    /// One extended report: event type, sender's last byte, advertising set, data.
    private static func event(
        _ type: UInt8, _ data: [UInt8], sender: UInt8 = 1, set: UInt8 = 0
    ) -> [UInt8] {
        var report = Advertisements.extendedReport(data, sender: sender)
        report[0] = type  // properties, and the data status in bits 5 and 6
        report[11] = set
        return Advertisements.extendedEvent(report)
    }

    /// The joined data of an event's report and whether they are truncated; `nil` while more follow.
    ///
    /// - Parameter beginning: the beginning of data that is enough.
    private static func join(
        _ event: [UInt8], _ reassembly: inout Reassembly, milliseconds: Int64 = 0,
        beginning: [UInt8]? = nil
    ) throws -> (data: [UInt8], isTruncated: Bool)? {
        try event.withBytes { bytes throws(AdvertisingReports.Malformed) in
            guard var reports = AdvertisingReports(event: bytes),
                let report = try reports.next(in: bytes)
            else { return nil }
            return reassembly.join(
                report, of: bytes, at: Instant(microseconds: milliseconds * 1000)
            ) { data, extent in
                extent == .beginning && data.copied() != beginning
                    ? nil : (data.copied(), extent != .whole)
            }
        }
    }

    @Test("data in one report pass through, complete or truncated")
    func passes() throws {
        var reassembly = Reassembly()
        let complete = try Self.join(Self.event(0x00, [1, 2]), &reassembly)
        #expect(complete?.data == [1, 2] && complete?.isTruncated == false)
        let truncated = try Self.join(Self.event(0x40, [3]), &reassembly)
        #expect(truncated?.data == [3] && truncated?.isTruncated == true)
    }

    @Test("fragments are joined by address, advertising set and kind")
    func joins() throws {
        var reassembly = Reassembly()
        #expect(try Self.join(Self.event(0x20, [1]), &reassembly) == nil)
        #expect(try Self.join(Self.event(0x20, [2], sender: 2), &reassembly) == nil)
        #expect(try Self.join(Self.event(0x20, [3], set: 1), &reassembly) == nil)
        // Bit 3: a scan response.
        #expect(try Self.join(Self.event(0x28, [4]), &reassembly) == nil)
        #expect(try Self.join(Self.event(0x20, [5]), &reassembly) == nil)
        #expect(try Self.join(Self.event(0x00, [6]), &reassembly)?.data == [1, 5, 6])
        #expect(try Self.join(Self.event(0x00, [6]), &reassembly)?.data == [6])
        #expect(try Self.join(Self.event(0x00, [7], sender: 2), &reassembly)?.data == [2, 7])
        #expect(try Self.join(Self.event(0x08, [8]), &reassembly)?.data == [4, 8])
        let last = try Self.join(Self.event(0x40, [9], set: 1), &reassembly)
        #expect(last?.data == [3, 9] && last?.isTruncated == true)
    }

    @Test("data above the longest of an advertisement are truncated")
    func longest() throws {
        var reassembly = Reassembly()
        let fragment = [UInt8](repeating: 7, count: 229)
        #expect(try Self.join(Self.event(0x20, [1]), &reassembly) == nil)
        for _ in 0..<100 {
            #expect(try Self.join(Self.event(0x20, fragment), &reassembly) == nil)
        }
        let whole = try Self.join(Self.event(0x00, fragment), &reassembly)
        #expect(whole?.data.count == 1650 && whole?.isTruncated == true)
    }

    @Test("the rest of an advertisement is not read after its beginning made room for another")
    func bounded() throws {
        var reassembly = Reassembly()
        let count = UInt8(Reassembly.capacity + 1)
        for sender in 0..<count {
            #expect(try Self.join(Self.event(0x20, [1], sender: sender), &reassembly) == nil)
        }
        #expect(try Self.join(Self.event(0x20, [2], sender: 0), &reassembly) == nil)
        for sender in (0..<count).reversed() {
            let whole = try Self.join(Self.event(0x00, [2], sender: sender), &reassembly)
            #expect(whole?.data == (sender == 0 ? nil : [1, 2]))
        }
        #expect(try Self.join(Self.event(0x00, [3], sender: 0), &reassembly)?.data == [3])
    }

    @Test("the rest of an advertisement is not read after its time, or after a loss of packets")
    func stale() throws {
        var reassembly = Reassembly()
        #expect(try Self.join(Self.event(0x20, [1]), &reassembly) == nil)
        #expect(
            try Self.join(Self.event(0x00, [2]), &reassembly, milliseconds: 1000)?.data == [1, 2])
        #expect(try Self.join(Self.event(0x20, [1]), &reassembly) == nil)
        #expect(try Self.join(Self.event(0x00, [2]), &reassembly, milliseconds: 1001) == nil)
        #expect(
            try Self.join(Self.event(0x00, [3]), &reassembly, milliseconds: 1001)?.data == [3])
        #expect(try Self.join(Self.event(0x20, [1]), &reassembly) == nil)
        reassembly.packetsDropped(at: Instant(microseconds: 0))
        // It may be the last fragment of another sender, whose first ones are lost.
        #expect(try Self.join(Self.event(0x00, [4], sender: 2), &reassembly) == nil)
        #expect(
            try Self.join(Self.event(0x00, [4], sender: 2), &reassembly, milliseconds: 1000) == nil)
        #expect(
            try Self.join(Self.event(0x00, [4], sender: 2), &reassembly, milliseconds: 1001)?.data
                == [4])
        #expect(try Self.join(Self.event(0x20, [2]), &reassembly) == nil)
        #expect(try Self.join(Self.event(0x40, [2]), &reassembly) == nil)
        #expect(
            try Self.join(Self.event(0x00, [3]), &reassembly, milliseconds: 1001)?.data == [3])
    }

    @Test("a beginning that is enough stands for its advertisement")
    func beginning() throws {
        var reassembly = Reassembly()
        #expect(try Self.join(Self.event(0x20, [1]), &reassembly, beginning: [1, 2]) == nil)
        let first = try Self.join(Self.event(0x20, [2]), &reassembly, beginning: [1, 2])
        #expect(first?.data == [1, 2])
        #expect(try Self.join(Self.event(0x20, [3]), &reassembly, beginning: [1, 2, 3]) == nil)
        #expect(try Self.join(Self.event(0x00, [4]), &reassembly) == nil)
        #expect(try Self.join(Self.event(0x00, [5]), &reassembly)?.data == [5])
    }

    @Test("the bytes of the beginning begin the sender's next advertisement")
    func beginsAnew() throws {
        var reassembly = Reassembly()
        #expect(try Self.join(Self.event(0x20, [1, 2]), &reassembly) == nil)
        #expect(try Self.join(Self.event(0x20, [3]), &reassembly) == nil)
        reassembly.packetsDropped(at: Instant(microseconds: 0))
        #expect(try Self.join(Self.event(0x20, [1, 2]), &reassembly, milliseconds: 9) == nil)
        #expect(
            try Self.join(Self.event(0x00, [4]), &reassembly, milliseconds: 9)?.data == [1, 2, 4])
    }

    @Test("a first fragment after a loss of packets is not read: it may be a later one")
    func afterLoss() throws {
        var reassembly = Reassembly()
        reassembly.packetsDropped(at: Instant(microseconds: 0))
        #expect(try Self.join(Self.event(0x20, [2]), &reassembly, beginning: [2]) == nil)
        #expect(try Self.join(Self.event(0x00, [3]), &reassembly) == nil)
    }

    @Test("the memory of unfinished advertisements is bounded")
    func remembered() throws {
        var reassembly = Reassembly()
        for sender in 0...UInt8(Reassembly.memory) {
            #expect(try Self.join(Self.event(0x20, [1], sender: sender), &reassembly) == nil)
        }
        #expect(try Self.join(Self.event(0x00, [2], sender: 1), &reassembly) == nil)
        // The limit: the oldest is unknown again.
        #expect(try Self.join(Self.event(0x00, [2], sender: 0), &reassembly)?.data == [2])
    }
}
