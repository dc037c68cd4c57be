import Primitives

/// The reports of one tag in one window of one gateway.
package struct Reading: Hashable, Sendable {
    package let tag: Tag
    /// The mean power in dBm.
    package let power: Double
    private let first: UnixTime
    /// Milliseconds after `first`; the centre is negative where it is not known.
    private let length: Int32
    private let centre: Int32
    private let reports: Int32
    private let devices: Int32

    package init(
        tag: Tag, power: Double, count: Int, seen: ClosedRange<UnixTime>, centroid: UnixTime? = nil,
        senders: Int
    ) {
        self.tag = tag
        self.power = power
        first = seen.lowerBound
        length = Int32(clamping: seen.upperBound.milliseconds &- first.milliseconds)
        let start = first.milliseconds
        centre = centroid.map { Int32(clamping: max(0, $0.milliseconds &- start)) } ?? -1
        reports = Int32(clamping: count)
        devices = Int32(clamping: senders)
    }

    /// Advertising reports.
    package var count: Int { Int(reports) }
    /// The first and the last report.
    package var seen: ClosedRange<UnixTime> { first...time(max(0, length)) }
    /// The centre of the power in time; `nil` where it is not known.
    package var centroid: UnixTime? { centre < 0 ? nil : time(centre) }
    /// Distinct devices that sent the identity.
    package var senders: Int { Int(devices) }

    private func time(_ milliseconds: Int32) -> UnixTime {
        UnixTime(milliseconds: first.milliseconds &+ Int64(milliseconds))
    }
}
