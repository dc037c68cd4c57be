import JSON

/// What may wait for the broker: the section `outbox` of the local file.
package struct OutboxSettings: Equatable, Sendable {
    /// The file for what outlasts the memory; `nil` for one in the state directory.
    package var path: String?
    /// How long a batch waits in memory before it goes to the file, in milliseconds; 0: it goes there before it is sent.
    package var spillAfterMs: Int64
    /// The size at which the oldest windows are merged, and dropped when that is not enough.
    package var maxBytes: Int64
    /// The age at which a batch is given up, in hours.
    package var maxAgeHours: Int64
    /// How many batches of the backlog are sent in a second.
    package var backlogPerSecond: Int64
    /// How long batches wait for the clock to be set, from the first connection to the broker, in milliseconds; 0: not at
    /// all.
    package var holdUnsyncedMs: Int64

    package init(
        path: String? = nil, spillAfterMs: Int64 = 2000, maxBytes: Int64 = 64 << 20,
        maxAgeHours: Int64 = 168, backlogPerSecond: Int64 = 10, holdUnsyncedMs: Int64 = 30_000
    ) {
        self.path = path
        self.spillAfterMs = spillAfterMs
        self.maxBytes = maxBytes
        self.maxAgeHours = maxAgeHours
        self.backlogPerSecond = backlogPerSecond
        self.holdUnsyncedMs = holdUnsyncedMs
    }
}

extension OutboxSettings {
    /// Reads the section's members.
    init(from reader: inout ObjectReader) {
        let usual = OutboxSettings()
        path = reader.optionalPath("path")
        spillAfterMs = reader.integer(
            "spillAfterMs", in: 0...3_600_000, default: usual.spillAfterMs)
        maxBytes = reader.integer("maxBytes", in: 65_536...1 << 30, default: usual.maxBytes)
        maxAgeHours = reader.integer("maxAgeHours", in: 1...8760, default: usual.maxAgeHours)
        backlogPerSecond = reader.integer(
            "backlogPerSecond", in: 1...10_000, default: usual.backlogPerSecond)
        holdUnsyncedMs = reader.integer(
            "holdUnsyncedMs", in: 0...600_000, default: usual.holdUnsyncedMs)
    }
}
