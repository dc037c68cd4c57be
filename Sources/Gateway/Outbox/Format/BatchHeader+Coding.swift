import Primitives
import Sightings

// The stored forms of a batch header and of an undeclared loss. Each has its own checksum, so that the numbers of a batch
// with a damaged body can be declared lost. In the terms of `BatchFormat`:
//
//     header: version  session  id  first number, count - 1  flags  interval  offset to UTC  [part]  [lost]  checksum
//     loss:   session  loss  checksum

extension BatchHeader {
    private static let format: UInt8 = 1

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let final = Flags(rawValue: 1 << 0)
        static let deaf = Flags(rawValue: 1 << 1)
        static let synced = Flags(rawValue: 1 << 2)
        static let retuned = Flags(rawValue: 1 << 3)
        static let part = Flags(rawValue: 1 << 4)
        static let lost = Flags(rawValue: 1 << 5)
        static let all: Flags = [.final, .deaf, .synced, .retuned, .part, .lost]
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
        writer.put(interval)
        writer.put(signed: stamp.offset.microseconds)
        if let part { writer.put(part) }
        if let lost { writer.put(lost) }
        return writer.checksummed
    }

    private var flags: Flags {
        var flags: Flags = []
        if isFinal { flags.insert(.final) }
        if state == .deaf { flags.insert(.deaf) }
        if stamp.clock == .synced { flags.insert(.synced) }
        if isRetuned { flags.insert(.retuned) }
        if part != nil { flags.insert(.part) }
        if lost != nil { flags.insert(.lost) }
        return flags
    }

    /// Decodes the stored form.
    init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = try ByteReader(checksummed: bytes)
        guard try reader.byte() == Self.format else { throw DecodeError(offset: 0) }
        let session = try reader.text(atMost: 64)
        let id = try reader.signed(within: .max)
        let first = try reader.number()
        let (last, overflow) = first.addingReportingOverflow(try reader.number())
        guard !overflow else { throw DecodeError(offset: reader.offset) }
        let flags = Flags(rawValue: try reader.byte())
        guard flags.isSubset(of: .all) else { throw DecodeError(offset: reader.offset) }
        let interval = try reader.interval()
        let offset = try reader.signed(within: DecodeLimit.time)
        let part = flags.contains(.part) ? try reader.part() : nil
        let lost = flags.contains(.lost) ? try reader.loss() : nil
        guard reader.isAtEnd else { throw DecodeError(offset: reader.offset) }
        self.init(
            id: id, session: session, numbers: first...last, isFinal: flags.contains(.final),
            interval: interval,
            stamp: Stamp(
                offset: .microseconds(offset), clock: flags.contains(.synced) ? .synced : .unsynced),
            state: flags.contains(.deaf) ? .deaf : .hearing, isRetuned: flags.contains(.retuned),
            part: part, lost: lost)
    }
}

extension Loss {
    /// The stored form, with the session of the loss.
    func encoded(of session: String) -> [UInt8] {
        var writer = ByteWriter(capacity: 96)
        writer.put(session)
        writer.put(self)
        return writer.checksummed
    }

    /// Decodes the stored form.
    static func decoding(_ bytes: [UInt8]) throws(DecodeError) -> (session: String, loss: Loss) {
        var reader = try ByteReader(checksummed: bytes)
        let session = try reader.text(atMost: 64)
        let loss = try reader.loss()
        guard reader.isAtEnd else { throw DecodeError(offset: reader.offset) }
        return (session, loss)
    }
}
