import Sightings

/// The sequence numbers of a session that did not arrive, although later ones did.
///
/// Numbers before the first received message are not gaps. A late message fills its gap; a message can arrive twice.
package struct SessionGaps {
    package enum Outcome: Equatable {
        /// Above all numbers before.
        case new
        /// Fills a gap.
        case late
        /// Received before, or older than the first received message.
        case repeated
    }

    /// In ascending order. Above the limit, the oldest gap becomes a count.
    private var missing: [ClosedRange<UInt64>] = []
    private var forgotten: UInt64 = 0
    private var highest: UInt64?
    /// The subscriber was disconnected: the next gap is its own.
    private var wasAway = false
    /// Messages that the gateway has declared as lost. They are not missing.
    package private(set) var lost: UInt64 = 0
    package private(set) var reason: String?

    private static let mostGaps = 64

    package init() {}

    /// Messages that are missing without a declared loss.
    package var missed: UInt64 {
        missing.reduce(forgotten) { sum, gap in
            sum.addingCapped(gap.upperBound - gap.lowerBound).addingCapped(1)
        }
    }

    /// - Parameter numbers: of the message, or of all messages that were merged into it.
    package mutating func on(_ numbers: ClosedRange<UInt64>, lost loss: Loss?) -> Outcome {
        let outcome = take(numbers)
        if outcome != .repeated { note(loss) }
        return outcome
    }

    package mutating func on(seq: UInt64, lost loss: Loss?) -> Outcome { on(seq...seq, lost: loss) }

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

    /// Notes a lost connection: the next gap is not counted.
    package mutating func interrupt() { wasAway = true }

    private mutating func open(_ gap: ClosedRange<UInt64>) {
        missing.append(gap)
        guard missing.count > Self.mostGaps else { return }
        let oldest = missing.removeFirst()
        forgotten = forgotten.addingCapped(oldest.upperBound - oldest.lowerBound).addingCapped(1)
    }

    /// Removes numbers from the gaps; `false` if none was in a gap.
    private mutating func fill(_ numbers: ClosedRange<UInt64>) -> Bool {
        var hasFilled = false
        for gap in missing where gap.overlaps(numbers) {
            guard let index = missing.firstIndex(of: gap) else { continue }
            remove(gap.clamped(to: numbers), from: index)
            hasFilled = true
        }
        return hasFilled
    }

    /// Removes a declared loss from the gaps. Where the range has more missing numbers than lost messages, the oldest
    /// are removed.
    private mutating func note(_ loss: Loss?) {
        guard let loss, loss.fromSeq <= loss.toSeq else { return }
        lost = lost.addingCapped(loss.batches)
        reason = loss.reason.rawValue
        var rest = loss.batches
        for gap in missing where rest > 0 && gap.overlaps(loss.fromSeq...loss.toSeq) {
            let start = max(gap.lowerBound, loss.fromSeq)
            let end = min(gap.upperBound, loss.toSeq, start.addingCapped(rest - 1))
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
    /// The sum, or the largest number: a message can have any number.
    fileprivate func addingCapped(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
