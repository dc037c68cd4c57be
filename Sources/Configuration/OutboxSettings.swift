import Contract
import JSON

/// The section `outbox` of the local file: limits of unacknowledged messages.
package struct OutboxSettings: ConfigurationSection {
    /// The database file; `nil` for the one in the state directory.
    package var path: String?
    /// How long a batch waits in memory before it goes to the file; 0: it goes there before it is sent.
    package var spillAfter = Duration.seconds(2)
    /// The size at which the oldest windows are merged, and dropped when that is not enough.
    package var maxBytes: Int64 = 64 << 20
    /// The age at which a batch is given up.
    package var maxAge = Duration.seconds(168 * 3600)
    /// How many batches of the backlog are sent in a second.
    package var backlogPerSecond: Int64 = 10
    /// How long batches wait for the clock to be set, from the first connection to the broker; 0: not at all.
    package var holdUnsynced = Duration.seconds(30)
    /// How long batches that the broker does not authorise are sent again before they are given up; only time of
    /// connections counts.
    package var refusedHold = Duration.seconds(600)

    package init() {}

    package static let help =
        "The store of messages that the broker has not acknowledged. "
        + "While the broker answers, the agent writes nothing to the disk."
    package static let keys: [ConfigurationKey<OutboxSettings>] = [
        .optional(
            "path", \.path, .path, effect: .afterRestart,
            example: "/var/lib/sightline/outbox.sqlite",
            help: "The file. The default is outbox.sqlite in the state directory."),
        .value(
            "spillAfterMs", \.spillAfter, .milliseconds(in: 0...3_600_000),
            help: "The agent writes a message to the file after this time without an "
                + "acknowledgement. 0: it writes every message before it sends it."),
        .value(
            "maxBytes", \.maxBytes, .integer(in: 65_536...1 << 30),
            help: "The largest size of the file. Beyond it, the agent merges the oldest messages, "
                + "and then drops the oldest ones."),
        .value(
            "maxAgeHours", \.maxAge, .hours(in: 1...8760),
            help: "The agent drops older messages."),
        .value(
            "backlogPerSecond", \.backlogPerSecond, .integer(in: 1...10_000),
            help: "The number of stored messages that the agent sends in a second."),
        .value(
            "holdUnsyncedMs", \.holdUnsynced, .milliseconds(in: 0...600_000),
            help: "The time that messages wait for the clock to be set, counted from the first "
                + "connection."),
        .value(
            "refusedHoldMs", \.refusedHold, .milliseconds(in: 0...86_400_000),
            help: "The time that the agent keeps messages that the broker does not authorise. "
                + "Only time on working connections counts. After it, the agent drops the messages. 0: it drops them "
                + "immediately."),
    ]
}
