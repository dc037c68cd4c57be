import Beacons
import Contract
import Primitives
import Sightings

/// One message about one window of a gateway, reduced to what is measured.
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
    /// Whether the radio has reported nothing, of any device. The store does not keep it.
    package let isQuiet: Bool
    /// The declared loss, if there is one. Hours of windows may wait, so a rare member takes little room.
    private let losses: [Loss]
    package private(set) var packed: PackedReadings

    package init(
        session: String, numbers: ClosedRange<UInt64>, parts: Int = 1, span: Range<UnixTime>,
        state: RadioState = .hearing, isSynced: Bool = true, lost: Loss? = nil,
        isQuiet: Bool = false, readings: [Reading]
    ) {
        self.init(
            session: session, numbers: numbers, parts: parts, span: span, state: state,
            isSynced: isSynced, lost: lost, isQuiet: isQuiet,
            packed: PackedReadings(readings, start: span.lowerBound))
    }

    package init(
        session: String, numbers: ClosedRange<UInt64>, parts: Int, span: Range<UnixTime>,
        state: RadioState, isSynced: Bool, lost: Loss?, isQuiet: Bool = false,
        packed: PackedReadings
    ) {
        self.session = session
        self.numbers = numbers
        self.parts = parts
        self.span = span
        self.state = state
        self.isSynced = isSynced
        self.isQuiet = isQuiet
        losses = lost.map { [$0] } ?? []
        self.packed = packed
    }

    /// The same window, in the memory of another measurement's window if its readings are the same.
    package func sharing(_ readings: inout PackedReadings?) -> WindowFact {
        var window = self
        if let readings, readings.bytes == packed.bytes { window.packed = readings }
        readings = window.packed
        return window
    }

    /// The message's own number; (session, number) identifies repetitions.
    package var number: UInt64 { numbers.upperBound }

    package var lost: Loss? { losses.first }

    var width: Duration { span.upperBound - span.lowerBound }

    package var readings: [Reading] { packed.readings(start: span.lowerBound) }

    /// Its memory in bytes, with its place in a list that has room to grow.
    var bytes: Int { packed.bytes.count + 300 }
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

extension WindowFact {
    /// Wider windows than an agent merges are faults.
    private static let widest = Duration.seconds(3600)

    /// More reports of a tag in one window are a fault.
    private static let mostReports = 1_000_000

    /// What a message says; `nil` if its times are impossible.
    ///
    /// - Parameters:
    ///   - acceptsUnsynced: whether the clock of the gateway counts although it is not set.
    ///   - part: the part of its window that the fact is of, with the tags heard in it; the default is the whole window.
    ///   - tag: the pseudonym of a beacon; `nil` for beacons that are no visitors'.
    package init?(
        _ message: SightingsMessage, acceptsUnsynced: Bool, in part: Range<UnixTime>? = nil,
        tag: (BeaconIdentity) -> Tag?
    ) {
        guard message.windowStart >= 0, message.windowStart < message.windowEnd,
            message.windowEnd <= .endOf9999,
            message.windowEnd - message.windowStart <= Self.widest
        else { return nil }
        let start = message.windowStart
        let window = start..<message.windowEnd
        let span = window.clamped(to: part ?? window)
        let last = (message.windowEnd - start).milliseconds - 1
        let readings = message.sightings.compactMap { sighting -> Reading? in
            // Offsets from the start in milliseconds, as the message has them.
            let first = min(max(0, sighting.firstSeen), last)
            let left = min(max(first, sighting.lastSeen), last)
            let seen = start + .milliseconds(first)...start + .milliseconds(left)
            guard !sighting.isEcho, let signal = sighting.signal, span.overlaps(seen),
                let tag = tag(sighting.identity)
            else { return nil }
            let centroid = min(max(first, signal.centroid), left)
            return Reading(
                tag: tag, power: signal.powerMean, count: min(sighting.count, Self.mostReports),
                seen: seen, centroid: start + .milliseconds(centroid), senders: sighting.senders)
        }
        self.init(
            session: message.session, numbers: message.seqs ?? message.seq...message.seq,
            parts: message.part?.of ?? 1,
            span: span, state: message.state,
            isSynced: message.clock == .synced || acceptsUnsynced, lost: message.lost,
            isQuiet: message.radio?.reports == 0 && message.sightings.isEmpty, readings: readings)
    }
}

extension WindowFact {
    /// The whole of a message whose window was cut into these parts; `nil` of no part.
    package init?(joining facts: [WindowFact]) {
        guard let first = facts.first, let last = facts.last else { return nil }
        guard facts.count > 1 else {
            self = first
            return
        }
        self.init(
            session: first.session, numbers: first.numbers, parts: first.parts,
            span: first.span.lowerBound..<last.span.upperBound, state: first.state,
            isSynced: first.isSynced, lost: first.lost, isQuiet: first.isQuiet,
            readings: facts.flatMap { fact in
                fact.readings.compactMap { $0.cut(to: fact.span) }
            })
    }
}

/// What became of a fact that was handed over.
package enum FactOutcome: String, CaseIterable, Sendable {
    case new
    /// The same message arrived before.
    case repeated
    /// Its time is final already.
    case late
    /// Its times are wrong: the gateway's clock was not set.
    case unsynced
    /// Its gateway is none of those that are measured.
    case foreign
    /// It is of one session too many: a gateway has some a day.
    case excess
}
