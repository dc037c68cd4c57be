import JSON
import Sightings

/// Writes batches as messages of the topic `sightings`.
///
/// The members stand in one order, without blanks: v, site, gateway, session, seq, seqs, part, window, clock, lost, radio,
/// sightings; those that the contract makes optional are left out.
package struct SightingsWriter: Sendable {
    /// `{"v":1,"site":…,"gateway":…,"session":…,"seq":`: the same in all messages of a session.
    private let prefix: [UInt8]

    package init(topics: Topics, session: String) {
        prefix =
            Array(#"{"v":1,"site":"#.utf8) + JSON.string(topics.site).bytes
            + Array(#","gateway":"#.utf8) + JSON.string(topics.gateway).bytes
            + Array(#","session":"#.utf8) + JSON.string(session).bytes + Array(#","seq":"#.utf8)
    }

    /// The most bytes before the sightings, without the prefix and the reason of a loss: some 20
    /// numbers of 20 digits, and their keys.
    private static let headBytes = 1024
    /// The room in which pieces of a message are put together.
    private static let roomBytes = 16_384

    /// Replaces the content of `buffer` with the message of `batch`; it reuses the storage.
    package func write(
        _ batch: Batch, stamp: Stamp, lost: Loss? = nil, into buffer: inout [UInt8]
    ) {
        let reason = lost.map { JSON.string($0.reason.rawValue).bytes } ?? []
        let head = prefix.count + reason.count + Self.headBytes
        buffer.removeAll(keepingCapacity: true)
        withUnsafeTemporaryAllocation(
            of: UInt8.self, capacity: max(Self.roomBytes, head + JSONCursor.maxSightingBytes)
        ) { room in
            guard let start = room.baseAddress else { return }
            let window = WindowLimits(
                start: stamp.milliseconds(of: batch.interval.start),
                end: stamp.milliseconds(of: batch.interval.end))
            var cursor = JSONCursor(start)
            cursor.put(bytes: prefix)
            cursor.putHead(of: batch, window, stamp.clock, lost, reason)
            var isFirst = true
            for sighting in batch.sightings {
                if cursor.next - start > room.count - JSONCursor.maxSightingBytes {
                    buffer.append(
                        contentsOf: UnsafeBufferPointer(start: start, count: cursor.next - start))
                    cursor = JSONCursor(start)
                }
                if !isFirst { cursor.put(",") }
                isFirst = false
                cursor.put(sighting, in: window, stamp: stamp)
            }
            cursor.put("]}")
            buffer.append(
                contentsOf: UnsafeBufferPointer(start: start, count: cursor.next - start))
        }
    }
}

/// When a batch's window begins and ends, in milliseconds since the epoch.
struct WindowLimits {
    let start: Int64
    let end: Int64
}

extension JSONCursor {
    fileprivate mutating func putHead(
        of batch: Batch, _ window: WindowLimits, _ clock: ClockState, _ lost: Loss?,
        _ reason: [UInt8]
    ) {
        put(batch.seq)
        if let seqs = batch.seqs {
            put(#","seqs":["#)
            put(seqs.lowerBound)
            put(",")
            put(seqs.upperBound)
            put("]")
        }
        if let part = batch.part {
            put(#","part":{"index":"#)
            put(part.index)
            put(#","of":"#)
            put(part.of)
            put("}")
        }
        put(#","window":{"start":"#)
        put(window.start)
        put(#","end":"#)
        put(window.end)
        switch clock {
        case .synced: put(#"},"clock":"synced""#)
        case .unsynced: put(#"},"clock":"unsynced""#)
        }
        if let lost { put(lost, reason: reason) }
        if let radio = batch.radio { put(radio, batch.state) }
        put(#","sightings":["#)
    }

    fileprivate mutating func put(_ lost: Loss, reason: [UInt8]) {
        put(#","lost":{"batches":"#)
        put(lost.batches)
        put(#","fromSeq":"#)
        put(lost.fromSeq)
        put(#","toSeq":"#)
        put(lost.toSeq)
        put(#","reason":"#)
        put(bytes: reason)
        put("}")
    }

    fileprivate mutating func put(_ radio: RadioCounts, _ state: RadioState) {
        switch state {
        case .hearing: put(#","radio":{"reports":"#)
        case .deaf: put(#","radio":{"state":"deaf","reports":"#)
        }
        put(radio.reports)
        put(#","beacons":"#)
        put(radio.beacons)
        put(#","filtered":"#)
        put(radio.filtered)
        put(#","malformed":"#)
        put(radio.malformed)
        put(#","implausible":"#)
        put(radio.implausible)
        put(#","dropped":"#)
        put(radio.dropped)
        if radio.fragments != 0 {
            put(#","fragments":"#)
            put(radio.fragments)
        }
        if radio.untracked != 0 {
            put(#","untracked":"#)
            put(radio.untracked)
        }
        if radio.unresolvedSenders != 0 {
            put(#","unresolvedSenders":"#)
            put(radio.unresolvedSenders)
        }
        if radio.identitiesPerSender != 0 {
            put(#","identitiesPerSender":"#)
            put(radio.identitiesPerSender)
        }
        put("}")
    }
}
