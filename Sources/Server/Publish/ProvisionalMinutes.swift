import Facts
import Queueing

/// The minutes that are not final, on their way to readers, some at a time.
///
/// They change with each window; once a minute is enough, and after each final minute.
struct ProvisionalMinutes {
    private var minute: UnixSecond = 0
    /// Whether the last ones do not follow from all that has arrived.
    private var areOutdated = false
    private var rest: ArraySlice<QueuePeriod> = []

    private static let atOnce = 10

    /// Whether none are left to publish now.
    var isEmpty: Bool { rest.isEmpty }

    /// - Parameters:
    ///   - isFinalNew: whether a minute has become final since the last call.
    ///   - isBehind: whether more has arrived than is folded.
    ///   - all: the minutes by present knowledge.
    /// - Returns: those to publish now.
    mutating func next(
        at second: UnixSecond, isFinalNew: Bool, isBehind: Bool, _ all: () -> [QueuePeriod]
    ) -> ArraySlice<QueuePeriod> {
        areOutdated = areOutdated || isFinalNew
        let present = second.floored(to: QueuePeriod.step)
        if present > minute || areOutdated && !isBehind {
            minute = present
            areOutdated = isBehind
            rest = all()[...]
        }
        defer { rest = rest.dropFirst(Self.atOnce) }
        return rest.prefix(Self.atOnce)
    }
}
