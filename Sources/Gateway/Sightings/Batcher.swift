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
