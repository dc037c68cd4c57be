import Beacons
import Primitives

/// Makes batches of windows: numbers them, merges adjacent empty ones, cuts large ones into parts.
package struct Batcher {
    package struct Settings: Equatable, Sendable {
        /// The longest stretch of silence that one message stands for.
        package var maxSilence: Duration
        /// Sightings in one message; positive.
        package var maxSightings: Int

        package init(maxSilence: Duration = .seconds(10), maxSightings: Int = 500) {
            self.maxSilence = maxSilence
            self.maxSightings = maxSightings
        }
    }

    /// What the batches are tuned to.
    package private(set) var settings: Settings
    /// The number of the next batch.
    package private(set) var nextSeq: UInt64
    private var silence: Window?
    /// The radio state in the last batch. A change of it is published immediately.
    private var publishedState: RadioState?

    package init(_ settings: Settings, nextSeq: UInt64 = 0) {
        self.settings = settings
        self.nextSeq = nextSeq
    }

    /// The batches that a closed window brings: none while silence goes on, one or several otherwise.
    package mutating func on(_ window: Window) -> [Batch] {
        var batches: [Batch] = []
        if let silence, !extends(silence, window) { batches += flush() }
        guard window.sightings.isEmpty, window.state == publishedState else {
            return batches + cut(window)
        }
        if var silence {
            silence.interval.end = window.interval.end
            silence.radio += window.radio
            self.silence = silence
        } else {
            silence = window
        }
        // A message is due as soon as one window more would make it too long.
        if let silence,
            silence.interval.duration + window.interval.duration > settings.maxSilence
        {
            batches += flush()
        }
        return batches
    }

    /// The silence that has been held back, if any.
    package mutating func flush() -> [Batch] {
        guard let silence else { return [] }
        self.silence = nil
        return cut(silence)
    }

    /// Puts other settings in force for the windows to come; the silence that was held back until now goes out.
    package mutating func retune(_ settings: Settings) -> [Batch] {
        let batches = flush()
        self.settings = settings
        return batches
    }

    private func extends(_ silence: Window, _ window: Window) -> Bool {
        window.sightings.isEmpty && window.state == silence.state && !window.isRetuned
            && window.interval.start == silence.interval.end
            && window.interval.end - silence.interval.start <= settings.maxSilence
    }

    private mutating func cut(_ window: Window) -> [Batch] {
        publishedState = window.state
        let size = settings.maxSightings
        let parts = max(1, (window.sightings.count + size - 1) / size)
        return (0..<parts).map { index in
            defer { nextSeq += 1 }
            let end = min((index + 1) * size, window.sightings.count)
            return Batch(
                seq: nextSeq, interval: window.interval, state: window.state,
                isRetuned: index == 0 && window.isRetuned,
                radio: index == 0 ? window.radio : nil,
                part: parts == 1 ? nil : Batch.Part(index: index, of: parts),
                sightings: window.sightings[index * size..<end])
        }
    }
}

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
