import Beacons
import Primitives
import Sightings

/// The stored form of a batch, formats 1 to 3. Format 2 also counts fragments, and format 3 has telemetry; earlier agents do
/// not read them.
///
///     format                    1 byte: 3 with telemetry; otherwise 2 if the radio has counted fragments; otherwise 1
///     origin                    session, boot, place: texts
///     seq, flags, [seqs' count] numbers
///     interval                  start, length
///     stamp                     offset
///     [radio]                   eight counters; the identities per sender, with their flag; from format 2 on, the fragments
///     [part]                    index, of
///     [lost]                    batches, from, to, reason
///     sightings                 count; UUIDs, then each sighting
///     checksum                  8 bytes, over all bytes before it
///
/// An instant is written as its difference to an earlier one, so that most instants take two or three bytes.
enum BatchFormat {
    static let plain: UInt8 = 1
    static let withFragments: UInt8 = 2
    static let withTelemetry: UInt8 = 3

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

    /// A sighting's flags: bit 0 is an echo, bits 1 and 2 are the format of its identity, bit 3 is telemetry.
    static func sightingFlags(_ sighting: Sighting) -> UInt8 {
        (sighting.isEcho ? 1 : 0) | sighting.identity.format.rawValue << 1
            | (sighting.telemetry == nil ? 0 : 1 << 3)
    }

    /// The values that the beacon measures.
    struct TelemetryFlags: OptionSet {
        let rawValue: UInt8
        static let millivolts = TelemetryFlags(rawValue: 1 << 0)
        static let temperature = TelemetryFlags(rawValue: 1 << 1)
        static let all: TelemetryFlags = [.millivolts, .temperature]
    }
}

extension StoredBatch {
    /// The stored form.
    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 128 + 56 * batch.sightings.count)
        let format = format
        writer.put(byte: format)
        writer.put(origin.session)
        writer.put(origin.boot)
        writer.put(origin.place)
        writer.put(batch.seq)
        writer.put(byte: flags.rawValue)
        if let seqs = batch.seqs { writer.put(seqs.upperBound - seqs.lowerBound) }
        writer.put(batch.interval)
        writer.put(signed: stamp.offset.microseconds)
        if let radio = batch.radio {
            writer.put(radio, withFragments: format >= BatchFormat.withFragments)
        }
        if let part = batch.part { writer.put(part) }
        if let lost { writer.put(lost) }
        writer.put(batch.sightings, since: batch.interval.start)
        return writer.checksummed
    }

    private var format: UInt8 {
        if batch.sightings.contains(where: { $0.telemetry != nil }) {
            return BatchFormat.withTelemetry
        }
        let hasFragments = batch.radio.map { $0.fragments > 0 } ?? false
        return hasFragments ? BatchFormat.withFragments : BatchFormat.plain
    }

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
    fileprivate mutating func put(_ radio: RadioCounts, withFragments: Bool) {
        put(signed: radio.reports)
        put(signed: radio.beacons)
        put(signed: radio.filtered)
        put(signed: radio.malformed)
        put(signed: radio.implausible)
        put(signed: radio.untracked)
        put(signed: radio.unresolvedSenders)
        put(signed: radio.dropped)
        if radio.identitiesPerSender > 0 { put(signed: radio.identitiesPerSender) }
        if withFragments { put(signed: radio.fragments) }
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
        if let telemetry = sighting.telemetry { put(telemetry) }
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

    private mutating func put(_ telemetry: Eddystone.Telemetry) {
        var flags: BatchFormat.TelemetryFlags = []
        if telemetry.millivolts != nil { flags.insert(.millivolts) }
        if telemetry.temperature != nil { flags.insert(.temperature) }
        put(byte: flags.rawValue)
        if let millivolts = telemetry.millivolts { put(UInt64(millivolts)) }
        if let temperature = telemetry.temperature { put(signed: Int64(temperature)) }
        put(UInt64(telemetry.advertisements))
        put(UInt64(telemetry.uptime))
    }
}
