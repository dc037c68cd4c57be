import Beacons
import Primitives

/// Joins the fragments of extended advertising data by address and advertising set (Core 5.4 Vol 4 Part E 7.7.65.13).
package struct Reassembly: Sendable {
    /// The data of one advertisement that is not complete yet.
    private struct Pending {
        let sender: DeviceAddress
        let setID: UInt8
        /// Without the data status: a scan response has its own data.
        let eventType: UInt16
        let begun: Instant
        var data: [UInt8]
    }

    /// Advertisements whose fragments may interleave. A further one takes the place of the oldest.
    package static let capacity = 8
    /// The longest advertising data of an advertisement (Core 5.4 Vol 4 Part E 7.8.57).
    package static let longestData = 1650
    /// The fragments of an advertisement follow each other within this time. Later ones belong to the next.
    package static let longestTime: Duration = .seconds(1)

    private enum DataStatus {
        static let mask: UInt16 = 0x60
        static let moreToCome: UInt16 = 0x20
        static let truncated: UInt16 = 0x40
    }

    private var pending: [Pending] = []

    package init() {}

    /// Reads the data of a report that belongs to an advertising set.
    ///
    /// - Parameters:
    ///   - event: the event packet of the report.
    ///   - read: receives the whole data, and whether the controller has truncated them.
    /// - Returns: the result of `read`; `nil` if more fragments follow.
    package mutating func join<Result>(
        _ report: AdvertisingReport, of event: Bytes, at now: Instant,
        _ read: (_ data: Bytes, _ isTruncated: Bool) -> Result
    ) -> Result? {
        let fragment = event.extracting(report.data)
        let status = report.eventType & DataStatus.mask
        let former = take(for: report, at: now)
        guard status == DataStatus.moreToCome || former != nil else {
            return read(fragment, status == DataStatus.truncated)
        }
        var whole =
            former
            ?? Pending(
                sender: report.sender, setID: report.setID,
                eventType: report.eventType & ~DataStatus.mask, begun: now, data: [])
        let room = Self.longestData - whole.data.count
        whole.data += fragment.extracting(0..<min(room, fragment.count)).copied()
        guard status == DataStatus.moreToCome else {
            return whole.data.withBytes {
                read($0, status == DataStatus.truncated || fragment.count > room)
            }
        }
        if pending.count == Self.capacity { pending.removeFirst() }
        pending.append(whole)
        return nil
    }

    /// Forgets all fragments: the host has dropped packets, which may have been the next ones.
    package mutating func removeAll() { pending.removeAll() }

    private mutating func take(for report: AdvertisingReport, at now: Instant) -> Pending? {
        // Most sets have no fragments.
        guard !pending.isEmpty else { return nil }
        pending.removeAll { $0.begun + Self.longestTime < now }
        let type = report.eventType & ~DataStatus.mask
        let index = pending.firstIndex {
            $0.sender == report.sender && $0.setID == report.setID && $0.eventType == type
        }
        return index.map { pending.remove(at: $0) }
    }
}
