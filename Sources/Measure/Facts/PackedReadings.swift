import Primitives

/// The readings of a window in few bytes, bit for bit: an hour of a store has millions of them. In the terms of `ByteWriter`:
///
///     reading:  tag (8 bytes)  power  count  first - start  last - first  [centroid - first]  senders
///     power:    hundredths of a decibel × 2, or 1 and the eight bytes of the number
///
/// `start` is the window's, and the store has the same bytes.
package struct PackedReadings: Sendable {
    package var count: Int { Int(readingCount) }
    private let readingCount: UInt32
    /// Whether all of them have a centroid: else a byte before each one says so.
    package let haveCentroids: Bool
    package let bytes: [UInt8]

    init(_ readings: [Reading], start: UnixTime) {
        readingCount = UInt32(clamping: readings.count)
        haveCentroids = !readings.isEmpty && readings.allSatisfy { $0.centroid != nil }
        guard !readings.isEmpty else {
            bytes = []
            return
        }
        var writer = ByteWriter(capacity: readings.count * 20)
        for reading in readings { reading.put(into: &writer, start: start, haveCentroids) }
        // Without the spare room of the writer.
        bytes = Array(writer.bytes[...])
    }

    /// Reads stored bytes.
    package init(
        reading reader: inout ByteReader, count: Int, haveCentroids: Bool, start: UnixTime
    ) throws(DecodeError) {
        var readings: [Reading] = []
        // A reading has fourteen bytes or more.
        readings.reserveCapacity(min(count, reader.left / 14))
        for _ in 0..<count {
            readings.append(try Reading(reading: &reader, start: start, haveCentroids))
        }
        self.init(readings, start: start)
    }

    func readings(start: UnixTime) -> [Reading] {
        var reader = ByteReader(bytes[...])
        var readings: [Reading] = []
        readings.reserveCapacity(count)
        // The bytes are this type's own, or have been read before: nothing is left out.
        while readings.count < count,
            let reading = try? Reading(reading: &reader, start: start, haveCentroids)
        {
            readings.append(reading)
        }
        return readings
    }
}

extension Reading {
    fileprivate func put(into writer: inout ByteWriter, start: UnixTime, _ hasCentroids: Bool) {
        let (first, last) = (seen.lowerBound.milliseconds, seen.upperBound.milliseconds)
        writer.put(fixed: tag.rawValue)
        if let hundredths = Self.hundredths(of: power) {
            writer.put(signed: hundredths << 1)
        } else {
            writer.put(signed: Int64(1))
            writer.put(power)
        }
        writer.put(signed: count)
        writer.put(signed: first &- start.milliseconds)
        writer.put(signed: last &- first)
        if hasCentroids {
            writer.put(signed: (centroid?.milliseconds ?? 0) &- first)
        } else {
            writer.put(centroid) { $0.put(signed: $1.milliseconds) }
        }
        writer.put(signed: senders)
    }

    /// The power in whole hundredths of a decibel, where that is exact.
    private static func hundredths(of power: Double) -> Int64? {
        guard power.magnitude < 1e6 else { return nil }
        let whole = Int64((power * 100).rounded())
        return (Double(whole) / 100).bitPattern == power.bitPattern ? whole : nil
    }

    fileprivate init(
        reading reader: inout ByteReader, start: UnixTime, _ hasCentroids: Bool
    ) throws(DecodeError) {
        let tag = Tag(rawValue: try reader.fixed())
        let code = try reader.signed(within: .max)
        guard code & 1 == 0 || code == 1 else { throw DecodeError(offset: reader.offset) }
        let power = code == 1 ? try reader.double() : Double(code >> 1) / 100
        let count = Int(try reader.signed(within: .max))
        let first = start.milliseconds &+ (try reader.signed(within: .max))
        let last = first &+ (try reader.signed(within: .max))
        guard first <= last else { throw DecodeError(offset: reader.offset) }
        let centroid: Int64? =
            if hasCentroids {
                first &+ (try reader.signed(within: .max))
            } else {
                try reader.optional { reader throws(DecodeError) in
                    try reader.signed(within: .max)
                }
            }
        self.init(
            tag: tag, power: power, count: count,
            seen: UnixTime(milliseconds: first)...UnixTime(milliseconds: last),
            centroid: centroid.map(UnixTime.init(milliseconds:)),
            senders: Int(try reader.signed(within: .max)))
    }
}
