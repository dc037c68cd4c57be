import Beacons
import Primitives
import Sightings

extension Parcel {
    /// Reads the stored form; whatever was done to it, nothing that comes of it can make arithmetic overflow.
    package init(decoding bytes: [UInt8]) throws(Damage) {
        var reader = try ByteReader(sealed: bytes)
        guard try reader.byte() == ParcelFormat.current else { throw Damage(offset: 0) }
        let session = try reader.text(atMost: 64)
        let boot = try reader.text(atMost: 64)
        let place = try reader.text(atMost: 1024)
        let seq = try reader.number()
        let flags = ParcelFormat.Flags(rawValue: try reader.byte())
        guard flags.isSubset(of: .all) else { throw Damage(offset: reader.offset) }
        var seqs: ClosedRange<UInt64>?
        if flags.contains(.merged) {
            let more = try reader.number()
            guard more <= seq else { throw Damage(offset: reader.offset) }
            seqs = seq - more...seq
        }
        let start = try reader.instant(after: Instant(microseconds: 0))
        let length = try reader.signed(within: Bound.time)
        guard length >= 0 else { throw Damage(offset: reader.offset) }
        let offset = try reader.signed(within: Bound.time)
        let radio = flags.contains(.radio) ? try reader.radio() : nil
        let part = flags.contains(.part) ? try reader.part() : nil
        let lost = flags.contains(.lost) ? try reader.loss() : nil
        let sightings = try reader.sightings(since: start)
        guard reader.isAtEnd else { throw Damage(offset: reader.offset) }
        self.init(
            origin: Origin(session: session, boot: boot, place: place),
            batch: Batch(
                seq: seq, seqs: seqs,
                interval: Interval(start: start, end: start.advanced(byMicroseconds: length)),
                state: flags.contains(.deaf) ? .deaf : .hearing,
                isRetuned: flags.contains(.retuned), radio: radio, part: part,
                sightings: sightings[...]),
            stamp: Stamp(offset: offset, clock: flags.contains(.synced) ? .synced : .unsynced),
            lost: lost)
    }
}

/// What is believed at most, so that sums of many stay far from any overflow.
enum Bound {
    /// In microseconds: some 36,000 years.
    static let time: Int64 = 1 << 60
    static let count: UInt64 = 1 << 40
    static let sum: Int64 = 1 << 56
}

extension ByteReader {
    mutating func instant(after earlier: Instant) throws(Damage) -> Instant {
        let start = offset
        let distance = try signed(within: Bound.time)
        let (sum, overflow) = earlier.microseconds.addingReportingOverflow(distance)
        guard !overflow, (-Bound.time...Bound.time).contains(sum) else {
            throw Damage(offset: start)
        }
        return Instant(microseconds: sum)
    }

    fileprivate mutating func signedCount() throws(Damage) -> Int {
        let start = offset
        let value = try signed(within: Int64(Bound.count))
        guard value >= 0 else { throw Damage(offset: start) }
        return Int(value)
    }

    fileprivate mutating func int8() throws(Damage) -> Int8 { Int8(bitPattern: try byte()) }

    fileprivate mutating func radio() throws(Damage) -> RadioCounts {
        var radio = RadioCounts()
        radio.reports = try signedCount()
        radio.beacons = try signedCount()
        radio.filtered = try signedCount()
        radio.malformed = try signedCount()
        radio.implausible = try signedCount()
        radio.untracked = try signedCount()
        radio.unresolvedSenders = try signedCount()
        radio.dropped = try signedCount()
        return radio
    }

    mutating func part() throws(Damage) -> Batch.Part {
        let start = offset
        let index = try signedCount()
        let of = try signedCount()
        guard index < of else { throw Damage(offset: start) }
        return Batch.Part(index: index, of: of)
    }

    mutating func loss() throws(Damage) -> Loss {
        Loss(
            batches: try number(), fromSeq: try number(), toSeq: try number(),
            reason: Loss.Reason(rawValue: try text(atMost: 64)))
    }

    fileprivate mutating func sightings(since start: Instant) throws(Damage) -> [Sighting] {
        // Each takes more than a byte: no count can ask for more memory than the bytes themselves took.
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
            guard place < uuids.count else { throw Damage(offset: offset) }
            sightings.append(try sighting(of: uuids[place], since: start))
        }
        return sightings
    }

    private mutating func sighting(
        of uuid: ProximityUUID, since start: Instant
    ) throws(Damage) -> Sighting {
        let major = try count(atMost: UInt64(UInt16.max))
        let minor = try count(atMost: UInt64(UInt16.max))
        let measuredPower = try int8()
        let flags = try byte()
        guard let format = BeaconIdentity.Format(rawValue: flags >> 1) else {
            throw Damage(offset: offset)
        }
        let count = try signedCount()
        let firstSeen = try instant(after: start)
        let lastSeen = try instant(after: firstSeen)
        let senders = try signedCount()
        return Sighting(
            identity: BeaconIdentity(
                format, prefix: uuid, suffix: UInt32(major) << 16 | UInt32(minor)),
            measuredPower: measuredPower, isEcho: flags & 1 == 1, count: count,
            firstSeen: firstSeen, lastSeen: lastSeen, senders: senders,
            signal: try signal(since: firstSeen))
    }

    private mutating func signal(since firstSeen: Instant) throws(Damage) -> SignalStatistics {
        let count = try signedCount()
        guard count > 0 else { return SignalStatistics() }
        let min = try int8()
        let max = try int8()
        let last = try int8()
        let maxAt = try instant(after: firstSeen)
        let sum = Int(try signed(within: Bound.sum))
        let sumOfSquares = Int(try signed(within: Bound.sum))
        let milliwatts = try double()
        let moment = try double()
        let reference = try instant(after: firstSeen)
        // A centroid is somewhere near; what is not can't be made an integer.
        guard milliwatts > 0, (moment / milliwatts).magnitude < Double(Bound.time) else {
            throw Damage(offset: offset)
        }
        return SignalStatistics(
            count: count, min: min, max: max, last: last, maxAt: maxAt, sum: sum,
            sumOfSquares: sumOfSquares, milliwatts: milliwatts, moment: moment,
            reference: reference)
    }
}
