import Beacons
import Primitives

/// Joins the fragments of extended advertising data by address and advertising set (Core 5.4 Vol 4 Part E 7.7.65.13).
///
/// A last fragment has the data status of whole data. After the loss of a fragment, all others up to the last one are
/// thus not read: bytes from the middle could look like a beacon. The sender's next advertisement is lost, too, if the
/// last fragment is. For `longestTime` after a loss, data that seem whole are not read: they may be a last fragment.
package struct Reassembly: Sendable {
    /// The data of one advertisement that is not complete yet.
    private struct Pending {
        let sender: DeviceAddress
        let setID: UInt8
        /// Without the data status: a scan response has its own data.
        let eventType: UInt16
        let begun: Instant
        /// `nil` if a part is lost: the other fragments are not read then.
        var data: [UInt8]?
    }

    /// Advertisements whose fragments may interleave. A further one takes the place of the oldest, whose data are lost.
    package static let capacity = 8
    /// Advertisements whose last fragment has not come, with those that have lost data. The oldest is forgotten first.
    package static let memory = 64
    /// The longest advertising data of an advertisement (Core 5.4 Vol 4 Part E 7.8.57).
    package static let longestData = 1650
    /// The fragments of an advertisement follow each other within this time. Later ones are not read.
    package static let longestTime: Duration = .seconds(1)

    private enum DataStatus {
        static let mask: UInt16 = 0x60
        static let moreToCome: UInt16 = 0x20
        static let truncated: UInt16 = 0x40
    }

    private var pending: [Pending] = []
    /// When the host last dropped packets.
    private var latestLoss: Instant?

    package init() {}

    /// Reads the data of a report that belongs to an advertising set.
    ///
    /// - Parameters:
    ///   - event: the event packet of the report.
    ///   - read: receives the whole data, and whether the controller has truncated them.
    /// - Returns: the result of `read`; `nil` if more fragments follow, or a part is lost.
    package mutating func join<Result>(
        _ report: AdvertisingReport, of event: Bytes, at now: Instant,
        _ read: (_ data: Bytes, _ isTruncated: Bool) -> Result
    ) -> Result? {
        let fragment = event.extracting(report.data)
        let status = report.eventType & DataStatus.mask
        let isLast = status != DataStatus.moreToCome
        let former = take(for: report)
        guard !isLast || former != nil else {
            if let latestLoss, now <= latestLoss + Self.longestTime { return nil }
            return read(fragment, status == DataStatus.truncated)
        }
        var whole =
            former
            ?? Pending(
                sender: report.sender, setID: report.setID,
                eventType: report.eventType & ~DataStatus.mask, begun: now, data: [])
        if whole.begun + Self.longestTime < now { whole.data = nil }
        let room = Self.longestData - (whole.data?.count ?? 0)
        whole.data?.append(
            contentsOf: fragment.extracting(0..<min(room, fragment.count)).copied())
        guard isLast else {
            keep(whole)
            return nil
        }
        return whole.data?.withBytes {
            read($0, status == DataStatus.truncated || fragment.count > room)
        }
    }

    /// The host has dropped packets, which may have been the next fragments.
    package mutating func packetsDropped(at now: Instant) {
        latestLoss = now
        for index in pending.indices { pending[index].data = nil }
    }

    private mutating func keep(_ advertisement: Pending) {
        pending.append(advertisement)
        if pending.count(where: { $0.data != nil }) > Self.capacity,
            let oldest = pending.firstIndex(where: { $0.data != nil })
        {
            pending[oldest].data = nil
        }
        if pending.count > Self.memory { pending.removeFirst() }
    }

    private mutating func take(for report: AdvertisingReport) -> Pending? {
        // Most sets have no fragments.
        guard !pending.isEmpty else { return nil }
        let type = report.eventType & ~DataStatus.mask
        let index = pending.firstIndex {
            $0.sender == report.sender && $0.setID == report.setID && $0.eventType == type
        }
        return index.map { pending.remove(at: $0) }
    }
}
