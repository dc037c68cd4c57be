import Primitives

@testable import Radio

/// A policy with the test's clock and reports.
struct PolicyBench {
    var policy: RecoveryPolicy
    var now = Instant(microseconds: 1_000_000_000)
    var heard = RecoveryPolicy.Heard()

    init(isShared: Bool = true, expectsReferences: Bool = false, seed: UInt64 = 1) {
        policy = RecoveryPolicy(
            isShared: isShared, expectsReferences: expectsReferences, seed: seed)
        _ = policy.on(.scanStarted, at: now)
    }

    mutating func tick(after seconds: Int64 = 0) -> RecoveryPolicy.Action? {
        wait(seconds)
        return policy.tick(at: now, heard)
    }

    mutating func wait(_ seconds: Int64) {
        now = now.advanced(byMicroseconds: seconds * 1_000_000)
    }

    /// Until something is due; `nil` if that is never.
    mutating func next() -> RecoveryPolicy.Action? {
        guard let due = policy.deadline(heard) else { return nil }
        now = max(now, due)
        return policy.tick(at: now, heard)
    }

    /// How long the rest is, in seconds, that the action asks for.
    func rest(_ action: RecoveryPolicy.Action?) -> Int64? {
        guard case .rest(let until)? = action else { return nil }
        return until.microseconds(since: now) / 1_000_000
    }
}
