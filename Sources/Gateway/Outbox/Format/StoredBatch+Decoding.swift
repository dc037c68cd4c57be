import Beacons
import Primitives
import Sightings

extension StoredBatch {
    /// Decodes the stored form. Arithmetic on the result cannot overflow, even if the bytes were forged.
    package init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = try ByteReader(checksummed: bytes)
        let format = try reader.byte()
        guard (BatchFormat.plain...BatchFormat.withTelemetry).contains(format) else {
            throw DecodeError(offset: 0)
        }
        let session = try reader.text(atMost: 64)
        let boot = try reader.text(atMost: 64)
        let place = try reader.text(atMost: 1024)
        let seq = try reader.number()
        let flags = BatchFormat.Flags(rawValue: try reader.byte())
        guard flags.isSubset(of: .all) else { throw DecodeError(offset: reader.offset) }
        var seqs: ClosedRange<UInt64>?
        if flags.contains(.merged) {
            let more = try reader.number()
            guard more <= seq else { throw DecodeError(offset: reader.offset) }
            seqs = seq - more...seq
        }
        let interval = try reader.interval()
        let offset = try reader.signed(within: DecodeLimit.time)
        let radio =
            flags.contains(.radio)
            ? try reader.radio(
                withBusySender: flags.contains(.busySender),
                withFragments: format >= BatchFormat.withFragments) : nil
        let part = flags.contains(.part) ? try reader.part() : nil
        let lost = flags.contains(.lost) ? try reader.loss() : nil
        let sightings = try reader.sightings(
            since: interval.start, mayHaveTelemetry: format >= BatchFormat.withTelemetry)
        guard reader.isAtEnd else { throw DecodeError(offset: reader.offset) }
        self.init(
            origin: Origin(session: session, boot: boot, place: place),
            batch: Batch(
                seq: seq, seqs: seqs, interval: interval,
                state: flags.contains(.deaf) ? .deaf : .hearing,
                isRetuned: flags.contains(.retuned), radio: radio, part: part,
                sightings: sightings[...]),
            stamp: Stamp(
                offset: .microseconds(offset), clock: flags.contains(.synced) ? .synced : .unsynced),
            lost: lost)
    }
}

/// The largest decoded values. Sums of many such values stay far from an overflow.
enum DecodeLimit {
    /// In microseconds: about 36,000 years.
    static let time: Int64 = 1 << 60
    static let count: UInt64 = 1 << 40
    static let sum: Int64 = 1 << 56
}

extension ByteReader {
    mutating func interval() throws(DecodeError) -> Interval {
        let start = try instant(after: Instant(microseconds: 0))
        let length = try signed(within: DecodeLimit.time)
        guard length >= 0 else { throw DecodeError(offset: offset) }
        return Interval(start: start, end: start + .microseconds(length))
    }

    fileprivate mutating func instant(after earlier: Instant) throws(DecodeError) -> Instant {
        let start = offset
        let distance = try signed(within: DecodeLimit.time)
        let (sum, overflow) = earlier.microseconds.addingReportingOverflow(distance)
        guard !overflow, (-DecodeLimit.time...DecodeLimit.time).contains(sum) else {
            throw DecodeError(offset: start)
        }
        return Instant(microseconds: sum)
    }

    fileprivate mutating func signedCount() throws(DecodeError) -> Int {
        let start = offset
        let value = try signed(within: Int64(DecodeLimit.count))
        guard value >= 0 else { throw DecodeError(offset: start) }
        return Int(value)
    }

    fileprivate mutating func int8() throws(DecodeError) -> Int8 { Int8(bitPattern: try byte()) }

    fileprivate mutating func radio(
        withBusySender: Bool, withFragments: Bool
    ) throws(DecodeError) -> RadioCounts {
        var radio = RadioCounts()
        radio.reports = try signedCount()
        radio.beacons = try signedCount()
        radio.filtered = try signedCount()
        radio.malformed = try signedCount()
        radio.implausible = try signedCount()
        radio.untracked = try signedCount()
        radio.unresolvedSenders = try signedCount()
        radio.dropped = try signedCount()
        if withBusySender { radio.identitiesPerSender = try signedCount() }
        if withFragments { radio.fragments = try signedCount() }
        return radio
    }

    mutating func part() throws(DecodeError) -> Batch.Part {
        let start = offset
        let index = try signedCount()
        let of = try signedCount()
        guard index < of else { throw DecodeError(offset: start) }
        return Batch.Part(index: index, of: of)
    }

    mutating func loss() throws(DecodeError) -> Loss {
        Loss(
            batches: try number(), fromSeq: try number(), toSeq: try number(),
            reason: Loss.Reason(rawValue: try text(atMost: 64)))
    }

    fileprivate mutating func sightings(
        since start: Instant, mayHaveTelemetry: Bool
    ) throws(DecodeError) -> [Sighting] {
        // A sighting has more than one byte, so a wrong count reserves no more memory than the bytes have.
        let count = try count(atMost: UInt64(left))
        let kinds = try self.count(atMost: UInt64(left / 16))
        var uuids: [ProximityUUID] = []
        for _ in 0..<kinds {
            uuids.append(ProximityUUID(high: try fixed(), low: try fixed()))
        }
        var sightings: [Sighting] = []
        sightings.reserveCapacity(count)
        for _ in 0..<count {
            let place = try self.count(atMost: UInt64(uuids.count))
            guard place < uuids.count else { throw DecodeError(offset: offset) }
            sightings.append(
                try sighting(
                    of: uuids[place], since: start, mayHaveTelemetry: mayHaveTelemetry))
        }
        return sightings
    }

    private mutating func sighting(
        of uuid: ProximityUUID, since start: Instant, mayHaveTelemetry: Bool
    ) throws(DecodeError) -> Sighting {
        let major = try count(atMost: UInt64(UInt16.max))
        let minor = try count(atMost: UInt64(UInt16.max))
        let measuredPower = try int8()
        let flags = try byte()
        let hasTelemetry = mayHaveTelemetry && flags & 1 << 3 != 0
        let known = hasTelemetry ? flags & ~(1 << 3) : flags
        guard let format = BeaconIdentity.Format(rawValue: known >> 1) else {
            throw DecodeError(offset: offset)
        }
        let count = try signedCount()
        let firstSeen = try instant(after: start)
        let lastSeen = try instant(after: firstSeen)
        let senders = try signedCount()
        let telemetry = hasTelemetry ? try telemetry() : nil
        return Sighting(
            identity: BeaconIdentity(
                format, prefix: uuid, suffix: UInt32(major) << 16 | UInt32(minor)),
            measuredPower: measuredPower, isEcho: flags & 1 == 1, count: count,
            firstSeen: firstSeen, lastSeen: lastSeen, senders: senders,
            signal: try signal(since: firstSeen), telemetry: telemetry)
    }

    private mutating func telemetry() throws(DecodeError) -> Eddystone.Telemetry {
        let flags = BatchFormat.TelemetryFlags(rawValue: try byte())
        guard flags.isSubset(of: .all) else { throw DecodeError(offset: offset) }
        return Eddystone.Telemetry(
            millivolts: flags.contains(.millivolts)
                ? UInt16(try count(atMost: UInt64(UInt16.max))) : nil,
            temperature: flags.contains(.temperature)
                ? Int16(clamping: try signed(within: Int64(Int16.max) + 1)) : nil,
            advertisements: UInt32(try count(atMost: UInt64(UInt32.max))),
            uptime: UInt32(try count(atMost: UInt64(UInt32.max))))
    }

    private mutating func signal(since firstSeen: Instant) throws(DecodeError) -> SignalStatistics {
        let count = try signedCount()
        guard count > 0 else { return SignalStatistics() }
        let min = try int8()
        let max = try int8()
        let last = try int8()
        let maxAt = try instant(after: firstSeen)
        let sum = Int(try signed(within: DecodeLimit.sum))
        let sumOfSquares = Int(try signed(within: DecodeLimit.sum))
        let milliwatts = try double()
        let moment = try double()
        let reference = try instant(after: firstSeen)
        // The centroid must fit into an integer.
        guard milliwatts > 0, (moment / milliwatts).magnitude < Double(DecodeLimit.time) else {
            throw DecodeError(offset: offset)
        }
        return SignalStatistics(
            count: count, min: min, max: max, last: last, maxAt: maxAt, sum: sum,
            sumOfSquares: sumOfSquares, milliwatts: milliwatts, moment: moment,
            reference: reference)
    }
}
