import Sightings

/// Which messages of a session did not come, though others that were numbered later did.
///
/// What came before the first message that was seen is nobody's loss: we were not there. A message may come late or
/// twice; late ones fill their gap.
package struct SessionGaps {
    /// What a message's number says.
    package enum Outcome: Equatable {
        /// The newest so far.
        case new
        /// It was missing, and has come after all.
        case late
        /// It has been here, or came before we were.
        case repeated
    }

    /// Missing numbers in ascending order; the oldest are only counted once there are too many gaps.
    private var missing: [ClosedRange<UInt64>] = []
    private var forgotten: UInt64 = 0
    private var highest: UInt64?
    /// We were away: the next gap is ours.
    private var wasAway = false
    /// Messages that the gateway said to have given up, which are not among the missing.
    package private(set) var lost: UInt64 = 0
    package private(set) var reason: String?

    private static let mostGaps = 64

    package init() {}

    /// Messages that are missing without a word of the gateway.
    package var missed: UInt64 {
        missing.reduce(forgotten) { sum, gap in
            sum.addingCapped(gap.upperBound - gap.lowerBound).addingCapped(1)
        }
    }

    /// Takes a message that stands for some numbers: its own, or all those of which it was merged.
    package mutating func on(_ numbers: ClosedRange<UInt64>, lost told: Loss?) -> Outcome {
        let outcome = take(numbers)
        if outcome != .repeated { note(told) }
        return outcome
    }

    package mutating func on(seq: UInt64, lost told: Loss?) -> Outcome { on(seq...seq, lost: told) }

    private mutating func take(_ numbers: ClosedRange<UInt64>) -> Outcome {
        guard let highest else {
            highest = numbers.upperBound
            return .new
        }
        let isLate = fill(numbers)
        guard numbers.upperBound > highest else { return isLate ? .late : .repeated }
        if numbers.lowerBound > highest, numbers.lowerBound - highest > 1, !wasAway {
            open(highest + 1...numbers.lowerBound - 1)
        }
        wasAway = false
        self.highest = numbers.upperBound
        return .new
    }

    /// The watcher itself loses messages from here to the next that comes.
    package mutating func interrupt() { wasAway = true }

    private mutating func open(_ gap: ClosedRange<UInt64>) {
        missing.append(gap)
        guard missing.count > Self.mostGaps else { return }
        let oldest = missing.removeFirst()
        forgotten = forgotten.addingCapped(oldest.upperBound - oldest.lowerBound).addingCapped(1)
    }

    /// Takes numbers out of the gaps; `false` when none was in one.
    private mutating func fill(_ numbers: ClosedRange<UInt64>) -> Bool {
        var hasFilled = false
        for gap in missing where gap.overlaps(numbers) {
            guard let index = missing.firstIndex(of: gap) else { continue }
            remove(gap.clamped(to: numbers), from: index)
            hasFilled = true
        }
        return hasFilled
    }

    /// What the gateway gave up is explained: it leaves the gaps. Where not every number of the span is lost, the
    /// oldest of its missing ones are taken for it; the number of them is what counts.
    private mutating func note(_ told: Loss?) {
        guard let told, told.fromSeq <= told.toSeq else { return }
        lost = lost.addingCapped(told.batches)
        reason = told.reason.rawValue
        var rest = told.batches
        for gap in missing where rest > 0 && gap.overlaps(told.fromSeq...told.toSeq) {
            let start = max(gap.lowerBound, told.fromSeq)
            let end = min(gap.upperBound, told.toSeq, start.addingCapped(rest - 1))
            rest -= end - start + 1
            guard let index = missing.firstIndex(of: gap) else { continue }
            remove(start...end, from: index)
        }
    }

    private mutating func remove(_ numbers: ClosedRange<UInt64>, from index: Int) {
        let gap = missing[index]
        var rest: [ClosedRange<UInt64>] = []
        if numbers.lowerBound > gap.lowerBound {
            rest.append(gap.lowerBound...numbers.lowerBound - 1)
        }
        if numbers.upperBound < gap.upperBound {
            rest.append(numbers.upperBound + 1...gap.upperBound)
        }
        missing.replaceSubrange(index...index, with: rest)
    }
}

extension UInt64 {
    /// The sum, or the largest number: what a broker delivers may be any number.
    fileprivate func addingCapped(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
