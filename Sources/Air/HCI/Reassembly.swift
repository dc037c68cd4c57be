import Beacons
import Primitives

/// Joins the fragments of extended advertising data by address and advertising set (Core 5.4 Vol 4 Part E 7.7.65.13).
///
/// A last fragment has the data status of whole data. After the loss of a fragment, all others up to the last one are
/// thus not read: bytes from the middle could look like a beacon. The sender's next advertisement is lost, too, if the
/// last fragment is, unless it begins with the same bytes. For `longestTime` after a loss, data that seem whole or
/// a beginning are not read: they may be a later fragment.
package struct Reassembly: Sendable {
    /// How much of an advertisement's data is there.
    package enum Extent: Sendable {
        case whole
        /// The controller has left out the end.
        case truncated
        /// More fragments follow.
        case beginning

        fileprivate init(status: UInt16) {
            switch status {
            case DataStatus.moreToCome: self = .beginning
            case DataStatus.truncated: self = .truncated
            default: self = .whole
            }
        }
    }

    /// The data of one advertisement that is not complete yet.
    private struct Pending {
        let sender: DeviceAddress
        let setID: UInt8
        /// Without the data status: a scan response has its own data.
        let eventType: UInt16
        let begun: Instant
        /// The length of the first fragment.
        let firstCount: Int
        private(set) var data: [UInt8]
        /// `false` if a part is lost, or if the beginning was enough: `data` is then the first fragment.
        private(set) var isReadable = true

        init(_ report: AdvertisingReport, _ first: Bytes, begun: Instant) {
            sender = report.sender
            setID = report.setID
            eventType = report.eventType & ~DataStatus.mask
            self.begun = begun
            firstCount = first.count
            data = first.copied()
        }

        mutating func append(_ fragment: Bytes) {
            guard isReadable else { return }
            let room = min(Reassembly.longestData - data.count, fragment.count)
            data.append(contentsOf: fragment.extracting(0..<room).copied())
        }

        mutating func stopReading() {
            isReadable = false
            data.removeLast(data.count - firstCount)
        }

        /// Whether the first fragment has these bytes.
        func begins(with fragment: Bytes) -> Bool {
            fragment.count == firstCount && data.starts(with: fragment.copied())
        }
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
    ///   - read: receives the data from the beginning of the advertisement. A result of a beginning stands for the
    ///     whole advertisement: the fragments that follow are not read.
    /// - Returns: the result of `read`; `nil` if the report is a fragment that adds no result: more fragments follow,
    ///   a part is lost, or an earlier fragment gave the result.
    package mutating func join<Result>(
        _ report: AdvertisingReport, of event: Bytes, at now: Instant,
        _ read: (_ data: Bytes, _ extent: Extent) -> Result?
    ) -> Result? {
        let fragment = event.extracting(report.data)
        let former = take(for: report)
        var extent = Extent(status: report.eventType & DataStatus.mask)
        let isLast = extent != .beginning
        guard !isLast || former != nil else {
            return isAfterLoss(now) ? nil : read(fragment, extent)
        }
        var advertisement: Pending
        if let former, isLast || !former.begins(with: fragment) {
            advertisement = former
            if former.begun + Self.longestTime < now { advertisement.stopReading() }
            if isLast, former.data.count + fragment.count > Self.longestData { extent = .truncated }
            advertisement.append(fragment)
        } else {
            advertisement = Pending(report, fragment, begun: now)
            if former == nil, isAfterLoss(now) { advertisement.stopReading() }
        }
        let result =
            advertisement.isReadable ? advertisement.data.withBytes { read($0, extent) } : nil
        if !isLast {
            if result != nil { advertisement.stopReading() }
            keep(advertisement)
        }
        return result
    }

    private func isAfterLoss(_ now: Instant) -> Bool {
        latestLoss.map { now <= $0 + Self.longestTime } ?? false
    }

    /// The host has dropped packets, which may have been the next fragments.
    package mutating func packetsDropped(at now: Instant) {
        latestLoss = now
        for index in pending.indices { pending[index].stopReading() }
    }

    private mutating func keep(_ advertisement: Pending) {
        pending.append(advertisement)
        if pending.count(where: \.isReadable) > Self.capacity,
            let oldest = pending.firstIndex(where: \.isReadable)
        {
            pending[oldest].stopReading()
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
