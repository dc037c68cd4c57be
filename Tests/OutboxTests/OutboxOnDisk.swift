@testable import Outbox

/// The outbox of a session with a file.
func outboxOnDisk(
    _ disk: any Disk, session: String = "new", boot: String = "b",
    _ limits: OutboxLimits = OutboxLimits(backlogPerSecond: 1000)
) -> Outbox {
    Outbox(limits, origin: Origin(session: session, boot: boot), disk: disk)
}

extension Outbox {
    /// Takes a batch in each of these seconds, with the number of the second.
    mutating func takeBatches(in seconds: Range<Int>) {
        for second in seconds {
            append(batch(UInt64(second)), at: at(Int64(second)))
            tick(at: at(Int64(second)))
        }
    }
}
