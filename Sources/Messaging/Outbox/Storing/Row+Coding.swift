import Primitives
import Sightings

// A row's head, and a loss that no message declares yet, as they are stored: under seals of their own, so that what is
// lost with a damaged body can still be told, number by number. In the terms of `ParcelFormat`:
//
//     version  session  id  first number, how many more  flags  start, length  offset to UTC  part  loss  seal
//     session  loss  seal

extension Row {
    private static let format: UInt8 = 1

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let frozen = Flags(rawValue: 1 << 0)
        static let deaf = Flags(rawValue: 1 << 1)
        static let synced = Flags(rawValue: 1 << 2)
        static let retuned = Flags(rawValue: 1 << 3)
        static let part = Flags(rawValue: 1 << 4)
        static let lost = Flags(rawValue: 1 << 5)
        static let all: Flags = [.frozen, .deaf, .synced, .retuned, .part, .lost]
    }

    /// The stored form.
    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 128)
        writer.put(byte: Self.format)
        writer.put(session)
        writer.put(signed: id)
        writer.put(numbers.lowerBound)
        writer.put(numbers.upperBound - numbers.lowerBound)
        writer.put(byte: flags.rawValue)
        writer.put(signed: interval.start.microseconds)
        writer.put(signed: interval.microseconds)
        writer.put(signed: stamp.offset)
        if let part {
            writer.put(signed: part.index)
            writer.put(signed: part.of)
        }
        if let lost { writer.put(lost) }
        return writer.sealed
    }

    private var flags: Flags {
        var flags: Flags = []
        if isFrozen { flags.insert(.frozen) }
        if state == .deaf { flags.insert(.deaf) }
        if stamp.clock == .synced { flags.insert(.synced) }
        if isRetuned { flags.insert(.retuned) }
        if part != nil { flags.insert(.part) }
        if lost != nil { flags.insert(.lost) }
        return flags
    }

    /// Reads the stored form.
    init(decoding bytes: [UInt8]) throws(Damage) {
        var reader = try ByteReader(sealed: bytes)
        guard try reader.byte() == Self.format else { throw Damage(offset: 0) }
        let session = try reader.text(atMost: 64)
        let id = try reader.signed(within: .max)
        let first = try reader.number()
        let (last, overflow) = first.addingReportingOverflow(try reader.number())
        guard !overflow else { throw Damage(offset: reader.offset) }
        let flags = Flags(rawValue: try reader.byte())
        guard flags.isSubset(of: .all) else { throw Damage(offset: reader.offset) }
        let start = try reader.instant(after: Instant(microseconds: 0))
        let length = try reader.signed(within: Bound.time)
        guard length >= 0 else { throw Damage(offset: reader.offset) }
        let offset = try reader.signed(within: Bound.time)
        let part = flags.contains(.part) ? try reader.part() : nil
        let lost = flags.contains(.lost) ? try reader.loss() : nil
        guard reader.isAtEnd else { throw Damage(offset: reader.offset) }
        self.init(
            id: id, session: session, numbers: first...last, isFrozen: flags.contains(.frozen),
            interval: Interval(start: start, end: start.advanced(byMicroseconds: length)),
            stamp: Stamp(offset: offset, clock: flags.contains(.synced) ? .synced : .unsynced),
            state: flags.contains(.deaf) ? .deaf : .hearing, isRetuned: flags.contains(.retuned),
            part: part, lost: lost)
    }
}

extension Loss {
    /// The stored form, with the session that has lost it.
    func encoded(of session: String) -> [UInt8] {
        var writer = ByteWriter(capacity: 96)
        writer.put(session)
        writer.put(self)
        return writer.sealed
    }

    /// Reads the stored form.
    static func decoding(_ bytes: [UInt8]) throws(Damage) -> (session: String, loss: Loss) {
        var reader = try ByteReader(sealed: bytes)
        let session = try reader.text(atMost: 64)
        let loss = try reader.loss()
        guard reader.isAtEnd else { throw Damage(offset: reader.offset) }
        return (session, loss)
    }
}
