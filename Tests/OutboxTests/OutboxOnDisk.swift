@testable import Outbox

/// The outbox of a session with a file.
func outboxOnDisk(
    _ disk: any Disk, session: String = "new", boot: String = "b",
    _ limits: OutboxLimits = OutboxLimits(backlogPerSecond: 1000)
) -> Outbox {
    Outbox(limits, origin: Origin(session: session, boot: boot), disk: disk)
}
