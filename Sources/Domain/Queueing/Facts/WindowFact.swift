import Primitives
import Sightings

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

/// One message about one window of a gateway, reduced to what the estimator needs.
package struct WindowFact: Sendable {
    /// The windows of a timeline share the memory of this name.
    package internal(set) var session: String
    /// The numbers that the message stands for.
    package let numbers: ClosedRange<UInt64>
    /// The messages of the window, when it came in several parts; else 1.
    package let parts: Int
    package let span: Range<UnixTime>
    package let state: RadioState
    /// Whether the gateway's clock was set. Times of other windows are wrong.
    package let isSynced: Bool
    /// The declared loss, if there is one. Hours of windows may wait, so a rare member takes little room.
    private let losses: [Loss]
    package let packed: PackedReadings

    package init(
        session: String, numbers: ClosedRange<UInt64>, parts: Int = 1, span: Range<UnixTime>,
        state: RadioState = .hearing, isSynced: Bool = true, lost: Loss? = nil,
        readings: [Reading]
    ) {
        self.init(
            session: session, numbers: numbers, parts: parts, span: span, state: state,
            isSynced: isSynced, lost: lost,
            packed: PackedReadings(readings, start: span.lowerBound))
    }

    package init(
        session: String, numbers: ClosedRange<UInt64>, parts: Int, span: Range<UnixTime>,
        state: RadioState, isSynced: Bool, lost: Loss?, packed: PackedReadings
    ) {
        self.session = session
        self.numbers = numbers
        self.parts = parts
        self.span = span
        self.state = state
        self.isSynced = isSynced
        losses = lost.map { [$0] } ?? []
        self.packed = packed
    }

    /// The message's own number; (session, number) identifies repetitions.
    package var number: UInt64 { numbers.upperBound }

    package var lost: Loss? { losses.first }

    var width: Duration { span.upperBound - span.lowerBound }

    package var readings: [Reading] { packed.readings(start: span.lowerBound) }

    /// Its memory in bytes, with its place in a list that has room to grow.
    var weight: Int { packed.bytes.count + 300 }
}

extension WindowFact: Comparable {
    /// The canonical order: it depends on the windows alone, never on their arrival.
    package static func < (left: WindowFact, right: WindowFact) -> Bool {
        if left.span.lowerBound != right.span.lowerBound {
            return left.span.lowerBound < right.span.lowerBound
        }
        if left.span.upperBound != right.span.upperBound {
            return left.span.upperBound < right.span.upperBound
        }
        return (left.session, left.number) < (right.session, right.number)
    }

    package static func == (left: WindowFact, right: WindowFact) -> Bool {
        !(left < right) && !(right < left)
    }
}
