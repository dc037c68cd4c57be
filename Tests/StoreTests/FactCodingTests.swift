import Facts
import Primitives
import Queueing
import Sightings
import TestVectors
import Testing

@testable import ResultStore
@testable import StoreSQLite

/// Windows with every member, from a seed.
func randomFact(_ random: inout SeededGenerator, readings: Int? = nil) -> WindowFact {
    let start = Int64.random(in: 1_700_000_000_000...1_900_000_000_000, using: &random)
    let width = Int64.random(in: 1...3_600_000, using: &random)
    let isRich = random.oneIn(2)
    let number = UInt64.random(in: 1000...UInt64.max, using: &random)
    let readings = (0..<(readings ?? Int.random(in: 0...30, using: &random))).map { _ in
        let first = start + Int64.random(in: 0..<width, using: &random)
        let last = Int64.random(in: first..<start + width, using: &random)
        return Reading(
            tag: Tag(rawValue: UInt64.random(in: 0...UInt64.max, using: &random)),
            power: isRich
                ? Double.random(in: -120...20, using: &random)
                : Double(Int.random(in: -1200...200, using: &random)) / 10,
            count: Int.random(in: 1...1_000_000, using: &random),
            seen: UnixTime(milliseconds: first)...UnixTime(milliseconds: last),
            centroid: random.oneIn(9)
                ? nil : UnixTime(milliseconds: Int64.random(in: first...last, using: &random)),
            senders: Int.random(in: 1...300, using: &random))
    }
    return WindowFact(
        session: "0198c9a2", numbers: (isRich ? number - 60 : number)...number,
        parts: isRich ? 3 : 1, span: span(start..<start + width),
        state: isRich ? .deaf : .hearing,
        isSynced: !isRich,
        lost: isRich ? Loss(batches: 3, fromSeq: 4, toSeq: .max, reason: .refused) : nil,
        readings: readings)
}

/// Whether all members are equal; `==` compares the canonical order only.
func areIdentical(_ one: WindowFact, _ other: WindowFact) -> Bool {
    one == other && one.numbers == other.numbers && one.parts == other.parts
        && one.span == other.span && one.state == other.state && one.isSynced == other.isSynced
        && one.lost == other.lost && one.readings == other.readings
        && zip(one.readings, other.readings).allSatisfy {
            $0.power.bitPattern == $1.power.bitPattern
        }
}

extension WindowFact {
    fileprivate init(_ bytes: [UInt8], like fact: WindowFact) throws(DecodeError) {
        try self.init(
            stored: bytes, session: fact.session, number: fact.number, start: fact.span.lowerBound)
    }
}

@Suite("stored form of a window")
struct FactCodingTests {
    @Test("reading returns the same window bit for bit", arguments: 0..<200)
    func roundTrip(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let fact = randomFact(&random)
        #expect(areIdentical(try WindowFact(fact.stored, like: fact), fact))
    }

    @Test("unusual powers are exact", arguments: [0.0, -0.0, -63.47, 1e9, -1e-300, 0.1 + 0.2])
    func powers(power: Double) throws {
        let fact = WindowFact(
            session: "a", numbers: 1...1, span: 0..<1000,
            readings: [
                Reading(tag: Tag(rawValue: 1), power: power, count: 1, seen: 5...9, senders: 1)
            ])
        let read = try WindowFact(fact.stored, like: fact)
        #expect(read.readings[0].power.bitPattern == power.bitPattern)
    }

    @Test("a usual reading takes at most 20 bytes")
    func size() {
        let readings = (0..<100).map { index in
            Reading(
                tag: Tag(rawValue: .max - UInt64(index)), power: -63.4, count: 5,
                seen: 1_763_800_000_100...1_763_800_000_900, centroid: 1_763_800_000_500,
                senders: 1)
        }
        let fact = WindowFact(
            session: "a", numbers: 7...7,
            span: 1_763_800_000_000..<1_763_800_001_000,
            readings: readings)
        #expect(fact.stored.count <= 100 * 20)
    }

    @Test("every prefix and every changed byte is an error", arguments: 0..<10)
    func damage(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let fact = randomFact(&random, readings: 4)
        let bytes = fact.stored
        for count in bytes.indices {
            #expect(throws: DecodeError.self) {
                try WindowFact(Array(bytes[..<count]), like: fact)
            }
        }
        for index in bytes.indices {
            var damaged = bytes
            for change in 1...UInt8.max {
                damaged[index] = bytes[index] ^ change
                #expect(throws: DecodeError.self) { try WindowFact(damaged, like: fact) }
            }
        }
    }

    @Test("a forged checksum never ends the program", arguments: 0..<40)
    func forged(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let fact = randomFact(&random, readings: 3)
        let bytes = Array(fact.stored.dropLast(Checksum.size))
        var understood = 0
        func read(_ body: [UInt8]) throws {
            for start in [0, fact.span.lowerBound, .max] as [UnixTime] {
                let sum = WindowFact.checksum(of: body[...], start: start, fact.number)
                guard
                    let read = try? WindowFact(
                        stored: body + sum, session: "a", number: fact.number, start: start)
                else { continue }
                understood += 1
                // The stored form of the result is readable again.
                let again = try WindowFact(read.stored, like: read)
                #expect(areIdentical(again, read))
            }
        }
        for count in bytes.indices { try read(Array(bytes[..<count])) }
        for index in bytes.indices {
            var changed = bytes
            for _ in 0..<20 {
                changed[index] = UInt8.random(in: .min ... .max, using: &random)
                try read(changed)
            }
        }
        #expect(understood > 0)
    }

    @Test("a row with another start or number is damaged")
    func otherKey() {
        let fact = fact(7, start: 1000)
        #expect(throws: DecodeError.self) {
            try WindowFact(stored: fact.stored, session: "s", number: 7, start: 1001)
        }
        #expect(throws: DecodeError.self) {
            try WindowFact(stored: fact.stored, session: "s", number: 8, start: 1000)
        }
    }
}
