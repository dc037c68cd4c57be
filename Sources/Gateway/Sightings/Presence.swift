import Beacons
import Primitives

/// Whether chosen beacons are near, derived from batches alone.
///
/// Silence differs from deafness: a beacon is away only after the radio listened for `awayAfter`
/// without hearing it.
package struct Presence: Equatable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        /// Heard less than `awayAfter` ago.
        case home
        /// Not heard in `awayAfter` of listening, and the radio still listens.
        case away = "not_home"
        case unknown
    }

    /// The knowledge of one beacon.
    private struct Trace: Equatable, Sendable {
        let identity: BeaconIdentity
        /// Since it was last heard; `nil` before the first time.
        var sinceHeard: Duration?
        /// Of that, what the radio was listening; before the first time, since the start.
        var listened = Duration.zero
        /// How long the radio has been deaf, up to now.
        var deaf = Duration.zero
        var isInWindow = false

        mutating func heard(before end: Duration) {
            sinceHeard = end
            listened = end
            deaf = .zero
        }

        mutating func pass(_ length: Duration, isListening: Bool) {
            sinceHeard = sinceHeard.map { $0 + length }
            listened = isListening ? listened + length : listened
            deaf = isListening ? .zero : deaf + length
        }

        func state(_ awayAfter: Duration) -> State {
            if let sinceHeard, sinceHeard < awayAfter { return .home }
            return listened >= awayAfter && deaf < awayAfter ? .away : .unknown
        }
    }

    private let awayAfter: Duration
    private var traces: [Trace]
    /// Where the latest window ended.
    private var end: Instant?
    /// The number that the next batch has, if none is missing.
    private var nextSeq: UInt64?
    /// Something of the open window is missing.
    private var isDoubtful = false
    private var counts = RadioCounts()

    package init(of identities: [BeaconIdentity], awayAfter: Duration) {
        self.awayAfter = awayAfter
        traces = identities.map { Trace(identity: $0) }
    }

    /// In the order of the identities.
    package var states: [State] { traces.map { $0.state(awayAfter) } }

    /// Takes a batch: a window or a part of one.
    ///
    /// - Parameter wanted: whether the filter admits an identity. Filtered identities are unknown.
    /// - Returns: whether a state has changed.
    package mutating func on(_ batch: Batch, wanted: (BeaconIdentity) -> Bool) -> Bool {
        let before = states
        if let nextSeq, batch.numbers.lowerBound != nextSeq { isDoubtful = true }
        nextSeq = batch.numbers.upperBound &+ 1
        if let radio = batch.radio { counts = radio }
        let last = batch.interval.end
        for sighting in batch.sightings {
            for index in traces.indices where traces[index].identity == sighting.identity {
                traces[index].isInWindow = true
                // What follows must not count it again.
                traces[index].heard(before: max(.zero, last - sighting.lastSeen))
            }
        }
        guard batch.part.map({ $0.index + 1 == $0.of }) ?? true else { return false }
        close(batch.interval, batch.state, wanted)
        return states != before
    }

    private mutating func close(
        _ interval: Interval, _ state: RadioState, _ wanted: (BeaconIdentity) -> Bool
    ) {
        // Windows without a message count as deaf.
        let gap = end.map { max(.zero, interval.start - $0) } ?? .zero
        let length = max(.zero, interval.duration)
        // One that was not tracked for want of room may have been there.
        let isListening = state == .hearing && !isDoubtful && counts.untracked == 0
        for index in traces.indices {
            defer {
                traces[index].isInWindow = false
                if traces[index].deaf >= awayAfter { traces[index].listened = .zero }
            }
            let isListening = isListening && wanted(traces[index].identity)
            guard !traces[index].isInWindow else {
                if !isListening { traces[index].listened = .zero }
                continue
            }
            if gap > .zero { traces[index].pass(gap, isListening: false) }
            traces[index].pass(length, isListening: isListening)
        }
        end = interval.end
        isDoubtful = false
        counts = RadioCounts()
    }
}
