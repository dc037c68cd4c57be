import Beacons
import Foundation
import HCI
import Primitives
import TestSupport
import Testing

@testable import VirtualRadio

@Suite struct CaptureWriterTests {
    @Test("a capture has the header and the records of the btsnoop format") func format() throws {
        let folder = try TemporaryFolder()
        var scenario = Scenario(uuid: organisation)
        scenario.gateways = [.init(id: "here", place: Point(x: 0, y: 0))]
        scenario.beacons = [.init(major: 1, firstMinor: 2, place: Point(x: 1, y: 0))]
        scenario.advertisingIntervalMs = 100
        let path = folder.file("here.btsnoop")
        let writer = try CaptureWriter(scenario, gateway: scenario.gateways[0], path: path)
        // The Unix epoch, one second.
        try writer.write(from: .seconds(0), to: .seconds(1))
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(
            bytes.prefix(16).elementsEqual(
                hex(
                    """
                    62 74 73 6e 6f 6f 70 00 // "btsnoop"
                    00 00 00 01             // version 1
                    00 00 03 ea             // 1002: H4
                    """)))
        #expect((9...10).contains(writer.reports))
        let record = Array(bytes[16...])
        let length = Int(record[3])
        #expect(Array(record[0..<4]) == Array(record[4..<8]))
        // Received, event; no drops; 1970 in microseconds since the year 0 is 0x00dcddb30f2f8000.
        #expect(Array(record[8..<16]) == hex("00 00 00 03 00 00 00 00"))
        #expect(Array(record[16..<20]) == hex("00 dc dd b3"))
        #expect(Array(record[24..<27]) == [0x04, 0x3e, UInt8(length - 3)])
        // One legacy report.
        #expect(Array(record[27..<29]) == hex("02 01"))
        #expect(bytes.count == 16 + writer.reports * (24 + length))
    }

    @Test("a capture has each report of the world once, at its time") func eachReport() throws {
        let folder = try TemporaryFolder()
        let scenario = try scenario("queue")
        let gateway = try #require(scenario.gateway("till-1"))
        let path = folder.file("till-1.btsnoop")
        let start = Instant.seconds(1_780_300_800)
        let end = start + .seconds(25)
        let writer = try CaptureWriter(scenario, gateway: gateway, path: path)
        try writer.write(from: start, to: end)
        var world = World(scenario)
        let heard = world.advertisements(heardBy: gateway, from: start, to: end)
        var found: [String] = []
        let file = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        try file.withBytes { bytes in
            var walk = try Btsnoop(bytes)
            while let record = try walk.next(in: bytes) {
                let event = Array(file[record.event])
                let packet = [0x04] + event
                for (report, data) in try reports(in: packet) {
                    found.append("\(record.instant.microseconds) \(hex(data)) \(report.rssi)")
                }
            }
        }
        #expect(heard.count > 5000)
        #expect(found == heard.map { "\($0.time.microseconds) \(hex($0.data)) \($0.rssi)" })
        #expect(writer.reports == heard.count)
    }
}
