import Beacons
import Primitives
import Sightings

/// The stored form of a batch, formats 1 and 2. Format 2 also counts fragments; earlier agents do not read it.
///
///     format                    1 byte: 2 if the radio has counted fragments, otherwise 1
///     origin                    session, boot, place: texts
///     seq, flags, [seqs' count] numbers
///     interval                  start, length
///     stamp                     offset
///     [radio]                   eight counters; the identities per sender, with their flag; in format 2, the fragments
///     [part]                    index, of
///     [lost]                    batches, from, to, reason
///     sightings                 count; UUIDs, then each sighting
///     checksum                  8 bytes, over all bytes before it
///
/// An instant is written as its difference to an earlier one, so that most instants take two or three bytes.
enum BatchFormat {
    static let plain: UInt8 = 1
    static let withFragments: UInt8 = 2

    struct Flags: OptionSet {
        let rawValue: UInt8
        static let merged = Flags(rawValue: 1 << 0)
        static let deaf = Flags(rawValue: 1 << 1)
        static let synced = Flags(rawValue: 1 << 2)
        static let radio = Flags(rawValue: 1 << 3)
        static let part = Flags(rawValue: 1 << 4)
        static let lost = Flags(rawValue: 1 << 5)
        static let retuned = Flags(rawValue: 1 << 6)
        static let busySender = Flags(rawValue: 1 << 7)
        static let all: Flags = [
            .merged, .deaf, .synced, .radio, .part, .lost, .retuned, .busySender,
        ]
    }

    /// A sighting's flags: bit 0 is an echo, bits 1 and 2 are the format of its identity.
    static func sightingFlags(_ sighting: Sighting) -> UInt8 {
        (sighting.isEcho ? 1 : 0) | sighting.identity.format.rawValue << 1
    }
}

extension StoredBatch {
    /// The stored form.
    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 128 + 56 * batch.sightings.count)
        writer.put(byte: hasFragments ? BatchFormat.withFragments : BatchFormat.plain)
        writer.put(origin.session)
        writer.put(origin.boot)
        writer.put(origin.place)
        writer.put(batch.seq)
        writer.put(byte: flags.rawValue)
        if let seqs = batch.seqs { writer.put(seqs.upperBound - seqs.lowerBound) }
        writer.put(batch.interval)
        writer.put(signed: stamp.offset.microseconds)
        if let radio = batch.radio { writer.put(radio) }
        if let part = batch.part { writer.put(part) }
        if let lost { writer.put(lost) }
        writer.put(batch.sightings, since: batch.interval.start)
        return writer.checksummed
    }

    private var hasFragments: Bool { batch.radio.map { $0.fragments > 0 } ?? false }

    private var flags: BatchFormat.Flags {
        var flags: BatchFormat.Flags = []
        if batch.seqs != nil { flags.insert(.merged) }
        if batch.state == .deaf { flags.insert(.deaf) }
        if stamp.clock == .synced { flags.insert(.synced) }
        if batch.radio != nil { flags.insert(.radio) }
        if batch.part != nil { flags.insert(.part) }
        if lost != nil { flags.insert(.lost) }
        if batch.isRetuned { flags.insert(.retuned) }
        if let radio = batch.radio, radio.identitiesPerSender > 0 { flags.insert(.busySender) }
        return flags
    }
}

extension ByteWriter {
    fileprivate mutating func put(_ radio: RadioCounts) {
        put(signed: radio.reports)
        put(signed: radio.beacons)
        put(signed: radio.filtered)
        put(signed: radio.malformed)
        put(signed: radio.implausible)
        put(signed: radio.untracked)
        put(signed: radio.unresolvedSenders)
        put(signed: radio.dropped)
        if radio.identitiesPerSender > 0 { put(signed: radio.identitiesPerSender) }
        if radio.fragments > 0 { put(signed: radio.fragments) }
    }

    mutating func put(_ interval: Interval) {
        put(signed: interval.start.microseconds)
        put(signed: interval.microseconds)
    }

    mutating func put(_ part: Batch.Part) {
        put(signed: part.index)
        put(signed: part.of)
    }

    mutating func put(_ lost: Loss) {
        put(lost.batches)
        put(lost.fromSeq)
        put(lost.toSeq)
        put(lost.reason.rawValue)
    }

    fileprivate mutating func put(_ sightings: ArraySlice<Sighting>, since start: Instant) {
        put(UInt64(sightings.count))
        // The beacons of a site share one UUID or a few.
        var uuids: [ProximityUUID] = []
        var places: [ProximityUUID: Int] = [:]
        for sighting in sightings where places[sighting.identity.uuid] == nil {
            places[sighting.identity.uuid] = uuids.count
            uuids.append(sighting.identity.uuid)
        }
        put(UInt64(uuids.count))
        for uuid in uuids {
            put(fixed: uuid.high)
            put(fixed: uuid.low)
        }
        for sighting in sightings {
            put(UInt64(places[sighting.identity.uuid] ?? 0))
            put(sighting, since: start)
        }
    }

    private mutating func put(_ sighting: Sighting, since start: Instant) {
        put(UInt64(sighting.identity.major))
        put(UInt64(sighting.identity.minor))
        put(byte: UInt8(bitPattern: sighting.measuredPower))
        put(byte: BatchFormat.sightingFlags(sighting))
        put(signed: sighting.count)
        put(signed: sighting.firstSeen.microseconds &- start.microseconds)
        put(signed: sighting.lastSeen.microseconds &- sighting.firstSeen.microseconds)
        put(signed: sighting.senders)
        let signal = sighting.signal
        put(signed: signal.count)
        guard signal.count > 0 else { return }
        put(byte: UInt8(bitPattern: signal.min))
        put(byte: UInt8(bitPattern: signal.max))
        put(byte: UInt8(bitPattern: signal.last))
        put(signed: signal.maxAt.microseconds &- sighting.firstSeen.microseconds)
        put(signed: signal.sum)
        put(signed: signal.sumOfSquares)
        put(signal.milliwatts)
        put(signal.moment)
        put(signed: signal.reference.microseconds &- sighting.firstSeen.microseconds)
    }
}
