import Facts
import Primitives
import Queueing
import Sightings

// The stored form of a window. The row has its start, session and number. In the terms of `ByteWriter`:
//
//     fact:     version  flags  width  [count - 1 of numbers]  [parts]  [lost]  count of readings  readings  checksum
//     lost:     batches  fromSeq  toSeq  reason
//     reading:  PackedReadings
//
// The checksum also covers start and number, which are in the row.

private enum FactFormat {
    static let current: UInt8 = 1
    static let mostReadings: UInt64 = 1 << 20
    /// Of a declared loss's reason, in bytes.
    static let longestReason: UInt64 = 256

    struct Flags: OptionSet {
        let rawValue: UInt8
        static let deaf = Flags(rawValue: 1 << 0)
        static let unsynced = Flags(rawValue: 1 << 1)
        static let numbers = Flags(rawValue: 1 << 2)
        static let parts = Flags(rawValue: 1 << 3)
        static let lost = Flags(rawValue: 1 << 4)
        /// All readings have a centroid.
        static let centroids = Flags(rawValue: 1 << 5)
        static let all: Flags = [.deaf, .unsynced, .numbers, .parts, .lost, .centroids]
    }
}

extension WindowFact {
    /// The stored form.
    package var stored: [UInt8] {
        let flags = storedFlags
        var writer = ByteWriter(capacity: 32 + packed.bytes.count)
        writer.put(byte: FactFormat.current)
        writer.put(byte: flags.rawValue)
        writer.put(signed: (span.upperBound - span.lowerBound).milliseconds)
        if flags.contains(.numbers) { writer.put(numbers.upperBound - numbers.lowerBound) }
        if flags.contains(.parts) { writer.put(signed: parts) }
        if let lost {
            writer.put(lost.batches)
            writer.put(lost.fromSeq)
            writer.put(lost.toSeq)
            writer.put(lost.reason.rawValue)
        }
        writer.put(UInt64(packed.count))
        for byte in packed.bytes { writer.put(byte: byte) }
        return writer.bytes + Self.checksum(of: writer.bytes[...], start: span.lowerBound, number)
    }

    /// The checksum of a body and of the row's key.
    static func checksum(
        of body: ArraySlice<UInt8>, start: UnixTime, _ number: UInt64
    ) -> [UInt8] {
        var key = ByteWriter(capacity: 24)
        key.put(fixed: Checksum.of(body))
        key.put(fixed: UInt64(bitPattern: start.milliseconds))
        key.put(fixed: number)
        var sum = ByteWriter(capacity: Checksum.size)
        sum.put(fixed: Checksum.of(key.bytes[...]))
        return sum.bytes
    }

    private var storedFlags: FactFormat.Flags {
        var flags: FactFormat.Flags = []
        if state == .deaf { flags.insert(.deaf) }
        if !isSynced { flags.insert(.unsynced) }
        if numbers.lowerBound != numbers.upperBound { flags.insert(.numbers) }
        if parts != 1 { flags.insert(.parts) }
        if lost != nil { flags.insert(.lost) }
        if packed.haveCentroids { flags.insert(.centroids) }
        return flags
    }

    /// Reads the stored form.
    package init(
        stored bytes: [UInt8], session: String, number: UInt64, start: UnixTime
    ) throws(DecodeError) {
        let body = bytes.dropLast(Checksum.size)
        guard Self.checksum(of: body, start: start, number).elementsEqual(bytes[body.endIndex...])
        else { throw DecodeError(offset: body.endIndex) }
        var reader = ByteReader(body)
        guard try reader.byte() == FactFormat.current else { throw DecodeError(offset: 0) }
        let flags = FactFormat.Flags(rawValue: try reader.byte())
        guard flags.isSubset(of: .all) else { throw DecodeError(offset: 1) }
        let (end, overflow) = start.milliseconds.addingReportingOverflow(
            try reader.signed(within: .max))
        guard !overflow, start.milliseconds <= end else { throw DecodeError(offset: reader.offset) }
        let more = flags.contains(.numbers) ? try reader.number() : 0
        guard more <= number else { throw DecodeError(offset: reader.offset) }
        let parts = flags.contains(.parts) ? Int(try reader.signed(within: 1 << 32)) : 1
        let lost = flags.contains(.lost) ? try Loss(reading: &reader) : nil
        let count = try reader.count(atMost: FactFormat.mostReadings)
        let packed = try PackedReadings(
            reading: &reader, count: count, haveCentroids: flags.contains(.centroids),
            start: start)
        guard reader.isAtEnd else { throw DecodeError(offset: reader.offset) }
        self.init(
            session: session, numbers: number - more...number, parts: parts,
            span: start..<UnixTime(milliseconds: end),
            state: flags.contains(.deaf) ? .deaf : .hearing,
            isSynced: !flags.contains(.unsynced), lost: lost, packed: packed)
    }
}

extension Loss {
    fileprivate init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(
            batches: try reader.number(), fromSeq: try reader.number(),
            toSeq: try reader.number(),
            reason: Reason(rawValue: try reader.text(atMost: FactFormat.longestReason)))
    }
}
