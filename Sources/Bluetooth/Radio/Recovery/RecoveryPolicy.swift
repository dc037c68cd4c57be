import Posix
import Primitives

/// What is done about a radio that is silent or fails: it is asked, then come ever stronger steps, then a rest, and
/// all begins again.
///
/// An empty room is not a fault: a controller that answers is asked ever more seldom, unless a reference beacon that
/// must always be heard is not. A value without clock or radio: what happened goes in, what is to be done comes out.
package struct RecoveryPolicy: Sendable {
    enum Fault: Equatable {
        /// The controller does not answer, or says itself that it failed.
        case failure
        case missingReference
    }

    enum Phase: Equatable {
        /// There is no scan, and no remedy for that: an adapter that is not there, or not opened yet.
        case closed
        case watching
        /// The controller has been asked; what is known besides.
        case asking(isReferenceMissing: Bool, isQuiet: Bool)
        /// A remedy has been applied; it has until then, once the scan is on again.
        case trying(RecoveryStep, Fault, since: Instant, settledBy: Instant?)
        case resting(Fault, since: Instant, until: Instant)
    }

    /// Without any report for so long (microseconds), the controller is asked; twice as long each time that it answers.
    package static let silence: Int64 = 30_000_000
    /// The longest that it is left alone, in microseconds.
    package static let longestSilence: Int64 = 3_600_000_000
    /// A reference must be heard once in so long (microseconds), however much else is: a gateway next door may restart.
    package static let referenceSilence: Int64 = 60_000_000
    /// So long after the scan is on again (microseconds), a remedy has brought the references back or failed.
    package static let settlingTime: Int64 = 15_000_000
    /// A remedy has helped for good after so long (microseconds); a fault before that asks for the next stronger one.
    package static let provingTime: Int64 = 30_000_000
    /// The shortest rest, and the first ceiling of what chance adds, in microseconds.
    package static let shortestRest: Int64 = 10_000_000
    /// The ceiling that is never exceeded, in microseconds.
    package static let longestRest: Int64 = 1_800_000_000

    private let isShared: Bool
    private var expectsReferences: Bool
    private var phase = Phase.closed
    /// The strongest remedy of this bout; `nil` at its beginning.
    private var applied: RecoveryStep?
    /// When that remedy will have helped for good.
    private var provenBy: Instant?
    /// What this process may not do.
    private var forgone: Set<RecoveryStep> = []
    private var hearingSince: Instant?
    private var askedAt: Instant?
    private var patience = Self.silence
    private var backoff = Backoff(base: Self.shortestRest, cap: Self.longestRest)
    private var chance: UInt64

    package private(set) var counts = Counts()
    /// Whether what the scan does not bring is known to be no silence, until something is heard.
    package private(set) var isMute = false

    /// - Parameters:
    ///   - isShared: whether the adapter is shared with the kernel: it can go down and up, and is never reset.
    ///   - expectsReferences: whether there are beacons that must always be heard.
    ///   - seed: what the rests are drawn from.
    package init(isShared: Bool, expectsReferences: Bool, seed: UInt64) {
        self.isShared = isShared
        self.expectsReferences = expectsReferences
        chance = seed
    }

    /// Whether a fault is known, and not yet overcome.
    package var isAtWork: Bool {
        switch phase {
        case .trying, .resting: true
        case .asking(let isReferenceMissing, _): isReferenceMissing
        case .closed, .watching: false
        }
    }

    /// When `tick` has something to do even if nothing comes.
    package func deadline(_ heard: Heard) -> Instant? {
        switch phase {
        case .closed, .asking, .resting(.failure, _, _): nil
        case .watching: min(silenceEnds(heard), referencesDue(heard) ?? silenceEnds(heard))
        case .trying(_, _, _, let settledBy): settledBy
        case .resting(.missingReference, _, let until): until
        }
    }

    /// Time has passed, something may have been heard.
    package mutating func tick(at now: Instant, _ heard: Heard) -> Action? {
        if let by = provenBy, by <= now { proven() }
        switch phase {
        case .closed, .asking, .trying(_, .failure, _, _), .resting(.failure, _, _): return nil
        case .watching:
            if let askedAt, quietSince(heard) >= askedAt { patience = Self.silence }
            guard let due = deadline(heard), due <= now else { return nil }
            return probe(heard, at: now)
        case .trying(let remedy, .missingReference, let since, let settledBy):
            if let references = heard.references, references > since {
                return recovered(by: remedy, at: now)
            }
            guard let settledBy, settledBy <= now else { return nil }
            return climb(.missingReference, at: now)
        case .resting(.missingReference, let since, let until):
            if let references = heard.references, references > since {
                return recovered(by: nil, at: now)
            }
            return until <= now ? probe(heard, at: now) : nil
        }
    }

    /// The scan is on.
    package mutating func hearing(at now: Instant) -> Action? {
        hearingSince = now
        switch phase {
        case .closed, .watching, .asking: phase = .watching
        case .trying(let remedy, .failure, _, _): return recovered(by: remedy, at: now)
        case .resting(.failure, _, _): return recovered(by: nil, at: now)
        case .trying(let remedy, .missingReference, let since, _):
            let settledBy = now.advanced(byMicroseconds: Self.settlingTime)
            phase = .trying(remedy, .missingReference, since: since, settledBy: settledBy)
        case .resting(.missingReference, _, _): break
        }
        return nil
    }

    /// The controller has answered the probe.
    package mutating func answered(at now: Instant) -> Action? {
        guard case .asking(let isReferenceMissing, let isQuiet) = phase else { return nil }
        if isReferenceMissing {
            isMute = isQuiet
            return climb(.missingReference, at: now)
        }
        phase = .watching
        patience = min(patience * 2, Self.longestSilence)
        return nil
    }

    /// The controller has not answered the probe.
    package mutating func unanswered(at now: Instant) -> Action? {
        guard case .asking = phase else { return nil }
        isMute = true
        return climb(.failure, at: now)
    }

    /// The radio had to be closed, or could not be opened.
    ///
    /// - Parameter isCurable: whether a remedy could help: not when the adapter is missing, taken, or not permitted.
    package mutating func failed(isCurable: Bool, at now: Instant) -> Action? {
        if isCurable { return climb(.failure, at: now, isOpen: false) }
        switch phase {
        case .watching, .asking: phase = .closed
        case .trying(let remedy, let fault, let since, _):
            phase = .trying(remedy, fault, since: since, settledBy: nil)
        case .closed, .resting: break
        }
        return nil
    }

    /// The remedy that was asked for is not permitted: it is never asked for again, and the next one comes at once.
    package mutating func forgo(_ remedy: RecoveryStep, at now: Instant) -> Action? {
        guard case .trying(remedy, let fault, _, _) = phase else { return nil }
        forgone.insert(remedy)
        count(remedy, -1)
        return climb(fault, at: now, isOpen: false)
    }

    /// Whether there are beacons that must always be heard, from now on: without any, none is missing.
    package mutating func expect(references: Bool, at now: Instant) -> Action? {
        expectsReferences = references
        guard !references else { return nil }
        switch phase {
        case .asking(isReferenceMissing: true, let isQuiet):
            phase = .asking(isReferenceMissing: false, isQuiet: isQuiet)
        case .trying(_, .missingReference, _, _), .resting(.missingReference, _, _):
            return recovered(by: nil, at: now)
        case .closed, .watching, .asking, .trying, .resting: break
        }
        return nil
    }

    /// A report has come.
    package mutating func unmute() { isMute = false }
}

// MARK: - Steps

extension RecoveryPolicy {
    private mutating func probe(_ heard: Heard, at now: Instant) -> Action {
        let isReferenceMissing = referencesDue(heard).map { $0 <= now } ?? false
        let isQuiet = quietSince(heard).advanced(byMicroseconds: Self.silence) <= now
        phase = .asking(isReferenceMissing: isReferenceMissing, isQuiet: isQuiet)
        askedAt = now
        counts.probes += 1
        return .probe
    }

    private mutating func climb(_ fault: Fault, at now: Instant, isOpen: Bool = true) -> Action {
        provenBy = nil
        let next = RecoveryStep.allCases.first { remedy in
            guard !forgone.contains(remedy), applied.map({ $0 < remedy }) ?? true else {
                return false
            }
            return switch remedy {
            case .rescan: isShared || isOpen
            case .powerCycle: isShared
            case .reset: !isShared
            }
        }
        guard let next else { return rest(fault, at: now) }
        applied = next
        count(next, 1)
        phase = .trying(next, fault, since: now, settledBy: nil)
        return .apply(next)
    }

    private mutating func rest(_ fault: Fault, at now: Instant) -> Action {
        applied = nil
        counts.gaveUp += 1
        // SplitMix64's increment is odd: every value comes once before one comes again.
        chance &+= 0x9e37_79b9_7f4a_7c15
        let mixed = (chance ^ chance >> 30) &* 0xbf58_476d_1ce4_e5b9
        let wait = Self.shortestRest + backoff.next(random: mixed ^ mixed >> 27)
        let until = now.advanced(byMicroseconds: min(wait, Self.longestRest))
        phase = .resting(fault, since: now, until: until)
        return .rest(until: until)
    }

    private mutating func recovered(by remedy: RecoveryStep?, at now: Instant) -> Action {
        phase = .watching
        isMute = false
        patience = Self.silence
        // Rests grow while nothing helps: what hears for a while between its faults is worth the next attempt.
        backoff.reset()
        provenBy = now.advanced(byMicroseconds: Self.provingTime)
        return .recovered(by: remedy)
    }

    private mutating func proven() {
        provenBy = nil
        applied = nil
    }

    private mutating func count(_ remedy: RecoveryStep, _ number: Int) {
        switch remedy {
        case .rescan: counts.rescans += number
        case .powerCycle: counts.powerCycles += number
        case .reset: counts.resets += number
        }
    }

    /// Since when nothing at all has come from a scan that is on.
    private func quietSince(_ heard: Heard) -> Instant {
        Self.later(heard.report, hearingSince) ?? Instant(microseconds: 0)
    }

    private func silenceEnds(_ heard: Heard) -> Instant {
        let since = quietSince(heard)
        guard let askedAt, askedAt > since else {
            return since.advanced(byMicroseconds: Self.silence)
        }
        return askedAt.advanced(byMicroseconds: patience)
    }

    /// When the references' silence becomes a fault: sooner where nothing else is heard either.
    private func referencesDue(_ heard: Heard) -> Instant? {
        guard expectsReferences else { return nil }
        let quiet = quietSince(heard)
        let since = Self.later(heard.references, hearingSince) ?? quiet
        return min(
            since.advanced(byMicroseconds: Self.referenceSilence),
            quiet.advanced(byMicroseconds: Self.silence))
    }

    /// Asked at every visit, so without an array.
    private static func later(_ one: Instant?, _ other: Instant?) -> Instant? {
        guard let one, let other else { return one ?? other }
        return max(one, other)
    }
}
