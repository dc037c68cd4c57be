import Posix
import Primitives

/// Decides when to probe a silent or failed radio, and which recovery step to take.
///
/// The policy probes a silent controller. If the controller is at fault, it takes ever stronger steps, then rests, and
/// starts again. An empty room is not a fault: the policy probes a controller that answers ever more rarely, and rescans
/// once after a busy period. A missing reference beacon is a fault even if the controller answers.
package struct RecoveryPolicy: Sendable {
    enum Fault: Equatable {
        /// The controller does not answer, or reports a failure.
        case failure
        case missingReference
    }

    enum Phase: Equatable {
        /// The adapter is missing or closed: all steps have to wait for it.
        case closed
        case watching
        /// The controller has not answered the probe yet.
        case probing(isReferenceMissing: Bool, isQuiet: Bool)
        /// The step must show its effect before `deadline`, which starts when the scan is on again.
        case trying(RecoveryStep, Fault, since: Instant, deadline: Instant?)
        case resting(Fault, since: Instant, until: Instant)
    }

    /// The policy probes a controller after this time without reports. Each answer doubles the time.
    package static let silence: Duration = .seconds(30)
    /// The longest time between two probes.
    package static let longestSilence: Duration = .seconds(3600)
    /// The shortest time between rescans of an answering controller, unless the first helped or the store is busy again.
    package static let rescanInterval: Duration = .seconds(3600)
    /// A store is busy again after this time with steady reports.
    package static let busyTime: Duration = .seconds(60)
    /// Each reference must be heard within this time. A neighbouring gateway may need it for a restart.
    package static let referenceSilence: Duration = .seconds(60)
    /// A step must bring the references back within this time after the scan starts.
    package static let settlingTime: Duration = .seconds(15)
    /// A step has succeeded after this time without a fault. A fault before that leads to the next stronger step.
    package static let confirmationTime: Duration = .seconds(30)
    /// The shortest rest, and the first upper limit of its random part.
    package static let shortestRest: Duration = .seconds(10)
    /// The longest rest.
    package static let longestRest: Duration = .seconds(1800)

    private let isShared: Bool
    private var expectsReferences: Bool
    private var phase = Phase.closed
    /// The strongest step since the last success.
    private var applied: RecoveryStep?
    /// When that step counts as a success.
    private var confirmedAt: Instant?
    /// Steps that this process has no permission for.
    private var unavailable: Set<RecoveryStep> = []
    private var scanStarted: Instant?
    private var probedAt: Instant?
    private var patience = Self.silence
    private var busyPeriod = BusyPeriod()
    /// The latest rescan of an answering controller that has not helped.
    private var rescannedAt: Instant?
    private var backoff = Backoff(base: Self.shortestRest, cap: Self.longestRest)
    private var generator: SplitMix64

    package private(set) var counts = Counts()
    /// Whether the scan is known to deliver nothing. The next report ends this.
    package private(set) var isSilent = false

    /// - Parameters:
    ///   - isShared: whether the kernel shares the adapter. A shared adapter can go down and up, and is never reset.
    ///   - expectsReferences: whether some beacons must always be heard.
    ///   - seed: the seed of the random part of the rests.
    package init(isShared: Bool, expectsReferences: Bool, seed: UInt64) {
        self.isShared = isShared
        self.expectsReferences = expectsReferences
        generator = SplitMix64(seed: seed)
    }

    /// Whether a known fault persists.
    package var isRecovering: Bool {
        switch phase {
        case .trying, .resting: true
        case .probing(let isReferenceMissing, _): isReferenceMissing
        case .closed, .watching: false
        }
    }

    /// Whether the controller is probed because it sends no reports.
    package var isQuiet: Bool {
        if case .probing(_, let isQuiet) = phase { isQuiet } else { false }
    }

    /// When `tick` is due, even without events.
    package func deadline(_ heard: Heard) -> Instant? {
        switch phase {
        case .closed, .probing, .resting(.failure, _, _): nil
        case .watching: min(silenceEnds(heard), referencesDue(heard) ?? silenceEnds(heard))
        case .trying(_, _, _, let deadline): deadline
        case .resting(.missingReference, _, let until): until
        }
    }

    /// Handles the passage of time and new reports.
    package mutating func tick(at now: Instant, _ heard: Heard) -> Action? {
        busyPeriod.record(heard.report)
        if let confirmedAt, confirmedAt <= now {
            self.confirmedAt = nil
            applied = nil
        }
        switch phase {
        case .closed, .probing, .trying(_, .failure, _, _), .resting(.failure, _, _): return nil
        case .watching:
            if let probedAt, quietSince(heard) >= probedAt { patience = Self.silence }
            if hasRescanHelped(heard) { return recovered(by: .rescan, at: now) }
            guard let due = deadline(heard), due <= now else { return nil }
            return probe(heard, at: now)
        case .trying(let step, .missingReference, let since, let deadline):
            if let references = heard.references, references > since {
                return recovered(by: step, at: now)
            }
            guard let deadline, deadline <= now else { return nil }
            return escalate(.missingReference, at: now)
        case .resting(.missingReference, let since, let until):
            if let references = heard.references, references > since {
                return recovered(by: nil, at: now)
            }
            return until <= now ? probe(heard, at: now) : nil
        }
    }

    package mutating func on(_ event: Event, at now: Instant) -> Action? {
        switch event {
        case .scanStarted: return onScanStarted(at: now)
        case .reportReceived: isSilent = false
        case .probeAnswered: return onProbeAnswered(at: now)
        case .probeTimedOut:
            guard case .probing = phase else { return nil }
            isSilent = true
            return escalate(.failure, at: now)
        case .failed(isRecoverable: true): return escalate(.failure, at: now, isOpen: false)
        case .failed(isRecoverable: false): waitForScan()
        case .stepNotPermitted(let step):
            guard case .trying(step, let fault, _, _) = phase else { return nil }
            unavailable.insert(step)
            counts[step] -= 1
            return escalate(fault, at: now, isOpen: false)
        case .resumed: if scanStarted != nil { scanStarted = now }
        case .referencesChanged(let isEmpty): return onReferencesChanged(isEmpty, at: now)
        }
        return nil
    }
}

// MARK: - Events

extension RecoveryPolicy {
    private mutating func onScanStarted(at now: Instant) -> Action? {
        scanStarted = now
        switch phase {
        case .closed, .watching, .probing: phase = .watching
        case .trying(let step, .failure, _, _): return recovered(by: step, at: now)
        case .resting(.failure, _, _): return recovered(by: nil, at: now)
        case .trying(let step, .missingReference, let since, _):
            phase = .trying(
                step, .missingReference, since: since, deadline: now + Self.settlingTime)
        case .resting(.missingReference, _, _): break
        }
        return nil
    }

    private mutating func onProbeAnswered(at now: Instant) -> Action? {
        guard case .probing(let isReferenceMissing, let isQuiet) = phase else { return nil }
        if isReferenceMissing {
            isSilent = isQuiet
            return escalate(.missingReference, at: now)
        }
        phase = .watching
        patience = min(patience * 2, Self.longestSilence)
        // A scanner may stall although its controller answers.
        guard isQuiet, mayRescan(at: now) else { return nil }
        rescannedAt = now
        counts.rescans += 1
        return .apply(.rescan)
    }

    private func mayRescan(at now: Instant) -> Bool {
        guard let rescannedAt, now < rescannedAt + Self.rescanInterval else {
            return busyPeriod.lasts()
        }
        return busyPeriod.lasts(Self.busyTime, since: rescannedAt)
    }

    /// Whether reports came back at once after a rescan of an answering controller.
    private mutating func hasRescanHelped(_ heard: Heard) -> Bool {
        guard let rescannedAt, let report = heard.report, report > rescannedAt,
            report <= rescannedAt + Self.settlingTime
        else { return false }
        self.rescannedAt = nil
        return true
    }

    private mutating func waitForScan() {
        switch phase {
        case .watching, .probing: phase = .closed
        case .trying(let step, let fault, let since, _):
            phase = .trying(step, fault, since: since, deadline: nil)
        case .closed, .resting: break
        }
    }

    private mutating func onReferencesChanged(_ isEmpty: Bool, at now: Instant) -> Action? {
        expectsReferences = !isEmpty
        guard isEmpty else { return nil }
        switch phase {
        case .probing(isReferenceMissing: true, let isQuiet):
            phase = .probing(isReferenceMissing: false, isQuiet: isQuiet)
        case .trying(_, .missingReference, _, _), .resting(.missingReference, _, _):
            return recovered(by: nil, at: now)
        case .closed, .watching, .probing, .trying, .resting: break
        }
        return nil
    }
}

// MARK: - Transitions

extension RecoveryPolicy {
    private mutating func probe(_ heard: Heard, at now: Instant) -> Action {
        let isReferenceMissing = referencesDue(heard).map { $0 <= now } ?? false
        let isQuiet = quietSince(heard) + Self.silence <= now
        phase = .probing(isReferenceMissing: isReferenceMissing, isQuiet: isQuiet)
        probedAt = now
        counts.probes += 1
        return .probe
    }

    private mutating func escalate(
        _ fault: Fault, at now: Instant, isOpen: Bool = true
    ) -> Action {
        confirmedAt = nil
        let next = RecoveryStep.allCases.first { step in
            guard !unavailable.contains(step), applied.map({ $0 < step }) ?? true else {
                return false
            }
            return switch step {
            case .rescan: isShared || isOpen
            case .powerCycle: isShared
            case .reset: !isShared
            }
        }
        guard let next else { return rest(fault, at: now) }
        applied = next
        counts[next] += 1
        phase = .trying(next, fault, since: now, deadline: nil)
        return .apply(next)
    }

    private mutating func rest(_ fault: Fault, at now: Instant) -> Action {
        applied = nil
        counts.gaveUp += 1
        let wait = Self.shortestRest + backoff.delay(random: generator.next())
        let until = now + min(wait, Self.longestRest)
        phase = .resting(fault, since: now, until: until)
        return .rest(until: until)
    }

    private mutating func recovered(by step: RecoveryStep?, at now: Instant) -> Action {
        phase = .watching
        isSilent = false
        patience = Self.silence
        // Rests grow only while no step helps: a radio that works between its faults deserves the next attempt.
        backoff.reset()
        confirmedAt = now + Self.confirmationTime
        return .recovered(by: step)
    }

    /// Since when a running scan has delivered nothing.
    private func quietSince(_ heard: Heard) -> Instant {
        Self.later(heard.report, scanStarted) ?? Instant(microseconds: 0)
    }

    private func silenceEnds(_ heard: Heard) -> Instant {
        let since = quietSince(heard)
        guard let probedAt, probedAt > since else { return since + Self.silence }
        return probedAt + patience
    }

    /// When missing references become a fault: sooner if all other beacons are silent, too.
    private func referencesDue(_ heard: Heard) -> Instant? {
        guard expectsReferences else { return nil }
        let quiet = quietSince(heard)
        let since = Self.later(heard.references, scanStarted) ?? quiet
        return min(since + Self.referenceSilence, quiet + Self.silence)
    }

    /// The radio's loop calls this each time, so it makes no array.
    private static func later(_ one: Instant?, _ other: Instant?) -> Instant? {
        guard let one, let other else { return one ?? other }
        return max(one, other)
    }
}
