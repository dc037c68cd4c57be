import Beacons
import HCI
import Primitives
import Sightings
import TestVectors
import Testing

@testable import Agent

/// Damaged packets and captures give a result or an error, never a crash, and each report counts
/// once.
@Suite struct FuzzTests {
    private static let event = Advertisements.legacyEvent(
        Advertisements.legacyReport([2, 1, 6] + Advertisements.iBeacon(1)),
        Advertisements.legacyReport(Advertisements.iBeacon(2)))
    private static let packets: [[UInt8]] = [
        event,
        Advertisements.extendedEvent(
            Advertisements.extendedReport(Advertisements.iBeacon(1)),
            Advertisements.extendedReport([2, 1, 6] + Advertisements.iBeacon(2) + [1, 9])),
        Advertisements.legacyEvent(
            Advertisements.legacyReport([2, 1, 6] + Advertisements.altBeacon),
            Advertisements.legacyReport([2, 1, 6] + Advertisements.eddystoneUID)),
        hex("0e 04 01 0b 20 00"), hex("0f 04 0c 01 42 20"), hex("10 01 2a"),
    ]
    private static let captures: [[UInt8]] = [
        [1001, 1002, 2001].map { link in
            packets.enumerated().reduce(Captures.header(link: link)) { file, packet in
                file
                    + Captures.record(
                        (link == 1002 ? [0x04] : []) + packet.element,
                        at: 1_780_000_000_000_000 + Int64(packet.offset) * 40_000)
            }
        }
    ].flatMap(\.self)

    @Test("every prefix of a packet parses or throws", arguments: packets)
    func prefixes(packet: [UInt8]) {
        for count in 0...packet.count { Self.read(Array(packet[..<count])) }
    }

    @Test("a packet with any byte changed to any value parses or throws", arguments: packets)
    func bytes(packet: [UInt8]) {
        for index in packet.indices {
            var damaged = packet
            for value in UInt8.min ... .max {
                damaged[index] = value
                Self.read(damaged)
            }
        }
    }

    @Test(
        "packets with several bytes changed from a seed parse or throw", arguments: UInt64(0)..<50)
    func seeded(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<400 {
            guard var packet = Self.packets.randomElement(using: &generator) else { return }
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let index = Int.random(in: packet.indices, using: &generator)
                packet[index] = UInt8.random(in: .min ... .max, using: &generator)
            }
            packet.removeLast(Int.random(in: 0...packet.count, using: &generator))
            Self.read(packet)
        }
    }

    @Test("every prefix of a packet stream, and every type byte, parses or throws")
    func streams() {
        let stream = Self.packets.flatMap { [0x04] + $0 } + hex("02 40 00 02 00 aa bb")
        for end in 0...stream.count { Self.split(Array(stream[..<end])) }
        for index in stream.indices {
            var damaged = stream
            for value in UInt8.min ... .max {
                damaged[index] = value
                Self.split(damaged)
            }
        }
    }

    @Test("every prefix of a capture gives the events before its end", arguments: captures)
    func capturePrefixes(capture: [UInt8]) {
        var last = 0
        for count in 0...capture.count {
            let events = Self.replay(Array(capture[..<count]))
            #expect(events >= last)
            last = events
        }
        #expect(last == Self.packets.count)
    }

    @Test("a capture with any byte flipped parses or throws", arguments: captures)
    func captureBytes(capture: [UInt8]) {
        for index in capture.indices {
            var damaged = capture
            for mask in [0x01, 0x80, 0xff] as [UInt8] {
                damaged[index] = capture[index] ^ mask
                _ = Self.replay(damaged)
            }
        }
    }

    @Test(
        "captures with impossible times from a seed give all their events",
        arguments: UInt64(0)..<100)
    func captureTimes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var capture = Captures.header(link: 1001)
        let extremes: [Int64] = [.min, .min + 1, -1, 0, .max]
        for _ in 0..<10 {
            let stamp =
                generator.oneIn(3)
                ? extremes.randomElement(using: &generator) ?? 0
                : Int64.random(in: .min ... .max, using: &generator)
            capture += Captures.record(Self.event, stamp: stamp)
        }
        #expect(Self.replay(capture) == 10, "seed \(seed)")
    }

    /// Reads one event as the radio process does.
    private static func read(_ packet: [UInt8]) {
        packet.withBytes { bytes in
            let event = try? Event(bytes)
            let reports = AdvertisingReports(event: bytes)
            if packet.count >= 2, let reports { #expect(event == .advertisingReports(reports)) }
            if reports == nil, case .advertisingReports = event { Issue.record("no reports") }
            var listener = listener(at: 0)
            listener.process(bytes, at: Instant(microseconds: 1)) { _ in }
            var counts = RadioCounts()
            var counted = 0
            listener.finish { batch in
                if let radio = batch.radio { counts += radio }
                counted += batch.sightings.map(\.count).reduce(0, +)
            }
            #expect(counted == counts.beacons, "\(digits(packet))")
            #expect(
                counts.beacons + counts.malformed + counts.implausible <= counts.reports,
                "\(digits(packet))")
        }
    }

    private static func split(_ stream: [UInt8]) {
        stream.withBytes { bytes in
            var offset = 0
            while let packet = try? H4.packet(in: bytes, at: offset) {
                #expect(packet.body.upperBound > offset && packet.body.upperBound <= bytes.count)
                offset = packet.body.upperBound
            }
        }
    }

    /// Replays a capture into a listener, and returns the number of events.
    private static func replay(_ file: [UInt8]) -> Int {
        file.withBytes { file in
            var events = 0
            var listener: Listener?
            var batches = 0
            do throws(Btsnoop.Failure) {
                var walk = try Btsnoop(file)
                while let record = try walk.next(in: file) {
                    events += 1
                    if listener == nil { listener = Self.listener(at: record.instant.microseconds) }
                    let instant = record.instant
                    listener?.process(file.extracting(record.event), at: instant) { _ in
                        batches += 1
                    }
                }
            } catch {
                // The events before the damage were read.
            }
            listener?.finish { _ in batches += 1 }
            #expect(listener == nil || batches > 0)
            return events
        }
    }

    private static func listener(at microseconds: Int64) -> Listener {
        Listener(
            Windows(
                Windows.Settings(filter: BeaconFilter(formats: .all)),
                from: Instant(microseconds: microseconds), aligned: true, seed: HashSeed(1, 2)),
            Batcher(Batcher.Settings()))
    }
}
