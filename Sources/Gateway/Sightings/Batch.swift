import Primitives

/// One message's worth of a window, and its number.
package struct Batch: Equatable, Sendable {
    /// Where a message stands among those of its window.
    package struct Part: Equatable, Sendable {
        package let index: Int
        package let of: Int

        package init(index: Int, of: Int) {
            self.index = index
            self.of = of
        }
    }

    /// 0, 1, 2, … within a session, one per message, never reused.
    package let seq: UInt64
    /// The numbers that the message stands for, `seq` the last of them, when it was merged of several; else `nil`.
    package let seqs: ClosedRange<UInt64>?
    package let interval: Interval
    package let state: RadioState
    /// Whether it begins with the first window after a change of the settings or of the clock. Such
    /// a batch is never merged with an earlier one.
    package let isRetuned: Bool
    /// The window's counters; `nil` in all parts but the first.
    package let radio: RadioCounts?
    /// `nil` when the window is whole in this message.
    package let part: Part?
    package let sightings: ArraySlice<Sighting>

    package init(
        seq: UInt64, seqs: ClosedRange<UInt64>? = nil, interval: Interval,
        state: RadioState = .hearing, isRetuned: Bool = false, radio: RadioCounts?,
        part: Part? = nil, sightings: ArraySlice<Sighting>
    ) {
        self.seq = seq
        self.seqs = seqs
        self.interval = interval
        self.state = state
        self.isRetuned = isRetuned
        self.radio = radio
        self.part = part
        self.sightings = sightings
    }

    /// The numbers that are accounted for by this message: its own, or all that were merged.
    package var numbers: ClosedRange<UInt64> { seqs ?? seq...seq }
}
