import Beacons
import Contract
import Foundation
import JSON
import Primitives
import Sightings
import TestVectors
import Testing

@Suite struct SightingsMessageTests {
    private typealias Writing = SightingsWriterTests

    @Test("a written message is read back")
    func roundTrip() throws {
        let sighting = try Writing.example()
        let lost = Loss(batches: 3, fromSeq: 9, toSeq: 11, reason: .outboxFull)
        let text = try Writing.text(
            Writing.batch(part: Batch.Part(index: 0, of: 2), sightings: [sighting]), lost: lost)
        let expected = SightingsMessage(
            site: "store-042", gateway: "entry-1",
            session: "0198c9a2-6f0e-7a51-9d0b-3f2b7c1e5a10", seq: 1041,
            part: Batch.Part(index: 0, of: 2), windowStart: UnixTime(milliseconds: Writing.start),
            windowEnd: UnixTime(milliseconds: Writing.start + 1000), clock: .synced,
            radio: Writing.radio, lost: lost,
            sightings: [
                SightingMessage(
                    identity: sighting.identity, measuredPower: -59, count: 10,
                    signal: SightingMessage.Signal(
                        min: -71, max: -58, mean: -64.2, standardDeviation: 3.12, last: -66,
                        powerMean: -63.1, centroid: 431, maxAt: 340),
                    firstSeen: 12, lastSeen: 987, senders: 1)
            ])
        #expect(try SightingsMessage(decoding: Array(text.utf8)) == expected)
    }

    @Test(
        "sightings of every beacon format are read back",
        arguments: [
            (BeaconIdentity.Format.eddystoneUID, UInt32(0), #""type":"eddystone-uid""#),
            (.altBeacon, 0xfe01_0203, #""type":"altbeacon""#),
        ])
    func formats(format: BeaconIdentity.Format, suffix: UInt32, type: String) throws {
        let identity = BeaconIdentity(
            format, prefix: ProximityUUID(high: 0x0102_0304_0506_0708, low: .max), suffix: suffix)
        let sighting = Sighting(
            of: BeaconFrame(identity: identity, power: -59), rssi: RSSI(dBm: -60),
            at: Writing.batch().interval.start)
        let text = try Writing.text(Writing.batch(sightings: [sighting]))
        #expect(text.contains(type))
        let message = try SightingsMessage(decoding: Array(text.utf8))
        #expect(message.sightings.map(\.identity) == [identity])
    }

    @Test("a merged message lists the numbers that it replaces, after its own")
    func merged() throws {
        let interval = Writing.batch().interval
        let batch = Batch(seq: 179, seqs: 120...179, interval: interval, radio: nil, sightings: [])
        let text = try Writing.text(batch)
        #expect(text.contains(#""seq":179,"seqs":[120,179],"window""#))
        let message = try SightingsMessage(decoding: Array(text.utf8))
        #expect(message.seqs == 120...179)
        for wrong in ["[179,120]", "[120,178]", "[120]", "[1.5,179]", "[-1,179]", "7", "{}"] {
            let text = text.replacingOccurrences(of: "[120,179]", with: wrong)
            #expect(throws: Faults.self) { try SightingsMessage(decoding: Array(text.utf8)) }
        }
    }

    @Test("a deaf window without sightings is read back")
    func deaf() throws {
        let text = try Writing.text(
            Writing.batch(state: .deaf), stamp: Stamp(offset: .zero, clock: .unsynced))
        let message = try SightingsMessage(decoding: Array(text.utf8))
        #expect(message.state == .deaf)
        #expect(message.clock == .unsynced)
        #expect(message.sightings.isEmpty)
    }

    @Test("ignores unknown members and unknown kinds of beacons")
    func tolerance() throws {
        let text = try Writing.text(Writing.batch())
            .replacingOccurrences(
                of: #""sightings":[]"#,
                with: #""sightings":[{"type":"eddystone","x":1}],"new":[{}]"#)
        #expect(try SightingsMessage(decoding: Array(text.utf8)).sightings.isEmpty)
    }

    @Test("members may stand in any order, with escapes in their keys", arguments: [0x0bde5])
    func order(seed: UInt64) throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let sighting = try Writing.example()
        let bytes = Array(try Writing.text(Writing.batch(sightings: [sighting, sighting])).utf8)
        let expected = try SightingsMessage(decoding: bytes)
        let json = try JSON(parsing: bytes, maxBytes: bytes.count)
        for _ in 0..<100 {
            let shuffled = Self.shuffled(json, &random).text
                .replacingOccurrences(of: #""seq":"#, with: #""\u0073e\u0071":"#)
                .replacingOccurrences(of: #""mean":"#, with: #""m\u0065an":"#)
            #expect(try SightingsMessage(decoding: Array(shuffled.utf8)) == expected)
        }
    }

    private static func shuffled(_ json: JSON, _ random: inout SeededGenerator) -> JSON {
        switch json {
        case .array(let elements): .array(elements.map { shuffled($0, &random) })
        case .object(let members):
            .object(
                members.shuffled(using: &random).map {
                    JSON.Member($0.key, shuffled($0.value, &random))
                })
        default: json
        }
    }

    @Test("all faults of required members are reported together")
    func faults() throws {
        let sighting = try Writing.example()
        let text = try Writing.text(Writing.batch(sightings: [sighting]))
            .replacingOccurrences(of: #""v":1"#, with: #""v":2"#)
            .replacingOccurrences(of: #""major":42,"#, with: "")
            .replacingOccurrences(of: #""mean":-64.2"#, with: #""mean":"x""#)
            .replacingOccurrences(of: #""clock":"synced","#, with: "")
        do throws(Faults) {
            _ = try SightingsMessage(decoding: Array(text.utf8))
            Issue.record("taken for a message")
        } catch {
            #expect(
                Set(error.list.map { "\($0.pointer) \($0.code.rawValue)" }) == [
                    "/v out-of-range", "/sightings/0/major missing",
                    "/sightings/0/rssi/mean wrong-type", "/clock missing",
                ])
        }
    }

    @Test("every prefix and every flipped byte is a message or faults", arguments: [0xf11b])
    func damage(seed: UInt64) throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let sighting = try Writing.example()
        let bytes = Array(try Writing.text(Writing.batch(sightings: [sighting])).utf8)
        for count in bytes.indices {
            #expect(throws: Faults.self) {
                try SightingsMessage(decoding: Array(bytes.prefix(count)))
            }
        }
        var read = 0
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= UInt8.random(in: 1...255, using: &random)
            if (try? SightingsMessage(decoding: damaged)) != nil { read += 1 }
        }
        #expect(read < bytes.count)
    }
}
