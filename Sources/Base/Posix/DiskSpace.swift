import Glibc
import Primitives

/// What the file system has to spare where a file is (statvfs(3)).
package struct DiskSpace: Equatable, Sendable {
    /// In bytes, for ordinary users.
    package let free: Int64
    package let isReadOnly: Bool
    /// `false` for file systems of the kernel, such as `/proc`.
    package let hasBlocks: Bool

    package init(free: Int64, isReadOnly: Bool, hasBlocks: Bool = true) {
        self.free = free
        self.hasBlocks = hasBlocks
        self.isReadOnly = isReadOnly
    }

    package init(at path: String) throws(Errno) {
        var status = statvfs()
        _ = try retryingInterrupts { statvfs(path, &status) }
        let (free, overflow) = Int64(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int64(clamping: status.f_frsize))
        self.init(
            free: overflow ? .max : free,
            isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0,
            hasBlocks: status.f_blocks > 0)
    }
}

/// Whether a disk works, and when to try it again after a failure.
package struct DiskAvailability: Sendable {
    package private(set) var isFailing = false
    /// The time of the next attempt after a failure.
    package private(set) var nextAttempt: Instant?
    /// The cap is low: an attempt costs little, and data that is only in memory is lost if the process is killed.
    private var backoff = Backoff(base: .seconds(10), cap: .seconds(30))

    package init() {}

    package func mayTry(at now: Instant) -> Bool { nextAttempt.map { $0 <= now } ?? true }

    /// Permits an attempt immediately.
    package mutating func retryNow() { nextAttempt = nil }

    /// - Returns: whether this ends a failure.
    package mutating func succeeded() -> Bool {
        defer { isFailing = false }
        nextAttempt = nil
        backoff.reset()
        return isFailing
    }

    /// - Returns: whether this begins a failure.
    package mutating func failed(at now: Instant) -> Bool {
        defer { isFailing = true }
        // Without jitter: no other machine uses this disk.
        nextAttempt = now + backoff.delay(random: .max)
        return !isFailing
    }
}
