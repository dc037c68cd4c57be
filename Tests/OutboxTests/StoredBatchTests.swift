import Beacons
import Primitives
import Sightings
import TestVectors
import Testing

@testable import Outbox

/// A batch with a value in every member.
private func richBatch(_ random: inout SeededGenerator) -> StoredBatch {
    let start = Instant(microseconds: Int64.random(in: 0...1 << 40, using: &random))
    let end = start.advanced(by: .microseconds(1_000_000))
    var sightings: [Sighting] = []
    for index in 0..<Int.random(in: 0...5, using: &random) {
        let beacon = BeaconFrame(
            identity: BeaconIdentity(
                BeaconIdentity.Format.allCases[index % 3],
                prefix: ProximityUUID(high: UInt64(index % 2), low: 7),
                suffix: 0xffff_0000 | UInt32(index)), power: -59)
        let rssi = RSSI(dBm: index == 3 ? 127 : Int8.random(in: -100...20, using: &random))
        var sighting = Sighting(of: beacon, rssi: rssi, at: start)
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            sighting.add(
                RSSI(dBm: Int8.random(in: -100...20, using: &random)), measuredPower: -60,
                at: start.advanced(byMicroseconds: Int64.random(in: 0...999_999, using: &random)))
        }
        if index > 1, Bool.random(using: &random) {
            sighting.telemetry = Eddystone.Telemetry(
                millivolts: index == 2 ? nil : .random(in: 1...UInt16.max, using: &random),
                temperature: index == 3 ? nil : .random(in: Int16.min...Int16.max, using: &random),
                advertisements: .random(in: 0...UInt32.max, using: &random), uptime: 4)
        }
        sightings.append(sighting)
    }
    var radio = RadioCounts()
    radio.reports = Int.random(in: 0...100_000, using: &random)
    radio.dropped = 3
    radio.fragments = Int.random(in: 0...2, using: &random)
    let seq = UInt64.random(in: 1000...UInt64.max, using: &random)
    let isRich = Bool.random(using: &random)
    return StoredBatch(
        origin: Origin(session: "0198c9a2", boot: isRich ? "b" : "", place: "root/site/gateway"),
        batch: Batch(
            seq: seq, seqs: isRich ? seq - 59...seq : nil,
            interval: Interval(start: start, end: end), state: isRich ? .deaf : .hearing,
            isRetuned: !isRich, radio: isRich ? radio : nil,
            part: isRich ? nil : Batch.Part(index: 1, of: 3),
            sightings: sightings[...]),
        stamp: Stamp(
            offset: .microseconds(Int64.random(in: -1 << 50...1 << 50, using: &random)),
            clock: isRich ? .synced : .unsynced),
        lost: isRich ? Loss(batches: 3, fromSeq: 4, toSeq: 9, reason: .refused) : nil)
}

@Suite("stored form of a batch")
struct StoredBatchTests {
    @Test("decoding returns the encoded batch", arguments: 0..<50)
    func roundTrip(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let stored = richBatch(&random)
        #expect(try StoredBatch(decoding: stored.encoded) == stored)
    }

    @Test("every prefix and every changed byte is an error", arguments: 0..<10)
    func damage(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let bytes = richBatch(&random).encoded
        for length in bytes.indices {
            #expect(throws: DecodeError.self) { try StoredBatch(decoding: Array(bytes[..<length])) }
        }
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= UInt8.random(in: 1...255, using: &random)
            #expect(throws: DecodeError.self) { try StoredBatch(decoding: damaged) }
        }
    }

    @Test("forged bytes with a right checksum cannot cause an overflow", arguments: 0..<40)
    func forged(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let bytes = richBatch(&random).encoded.dropLast(Checksum.size)
        for index in bytes.indices {
            var forged = Array(bytes)
            forged[index] =
                [0, 0x7f, 0xff, UInt8.random(in: 0...255, using: &random)]
                .randomElement(using: &random) ?? 0
            var writer = ByteWriter(capacity: forged.count + 8)
            for byte in forged { writer.put(byte: byte) }
            writer.put(fixed: Checksum.of(forged[...]))
            guard let stored = try? StoredBatch(decoding: writer.bytes) else { continue }
            // Merging and writing must not trap.
            let merged = StoredBatch.merged([stored, stored], maxSightings: 2)
            for sighting in merged.flatMap(\.batch.sightings) where sighting.signal.count > 0 {
                _ = sighting.signal.centroid
                _ = sighting.signal.standardDeviation
            }
        }
    }

    @Test("the format is the first one that has all of the batch")
    func formats() {
        var stored = StoredBatch(
            origin: Origin(session: "s"), batch: batch(5, sightings: 2), stamp: stamp)
        #expect(stored.encoded[0] == 1)
        var counted = stored.batch.radio ?? RadioCounts()
        counted.fragments = 1
        stored = StoredBatch(
            origin: stored.origin,
            batch: Batch(
                seq: 5, seqs: nil, interval: stored.batch.interval, state: .hearing,
                radio: counted, part: nil, sightings: stored.batch.sightings), stamp: stamp)
        #expect(stored.encoded[0] == 2)
        var sightings = Array(stored.batch.sightings)
        sightings[0].telemetry = Eddystone.Telemetry(
            millivolts: 3000, temperature: nil, advertisements: 1, uptime: 2)
        stored = StoredBatch(
            origin: stored.origin,
            batch: Batch(
                seq: 5, seqs: nil, interval: stored.batch.interval, state: .hearing,
                radio: counted, part: nil, sightings: sightings[...]), stamp: stamp)
        #expect(stored.encoded[0] == 3)
    }

    @Test("a hundred beacons of a second take less than 50 bytes each")
    func compact() {
        let size = StoredBatch(
            origin: Origin(session: "0198c9a2-6f0e-7a51-9d0b-3f2b7c1e5a10"),
            batch: batch(5, sightings: 100), stamp: stamp
        ).encoded.count
        #expect(size < 5000, "\(size)")
    }
}
