import JSON

/// How the gateway reports: the section `report` of the local file and of the layers.
package struct ReportSettings: Equatable, Sendable {
    /// A window's width, in milliseconds; a multiple of 100.
    package var windowMs: Int64
    /// The longest stretch of silence that one message stands for, in milliseconds; 0 for a message per window.
    package var maxSilenceMs: Int64
    /// Sightings in one message; a window with more is cut into parts.
    package var maxSightingsPerMessage: Int

    package init(
        windowMs: Int64 = 1000, maxSilenceMs: Int64 = 10_000, maxSightingsPerMessage: Int = 500
    ) {
        self.windowMs = windowMs
        self.maxSilenceMs = maxSilenceMs
        self.maxSightingsPerMessage = maxSightingsPerMessage
    }

    /// Reads the section's members.
    package init(from reader: inout ObjectReader) {
        let usual = ReportSettings()
        windowMs = reader.integer("windowMs", in: 100...600_000, default: usual.windowMs)
        if windowMs % 100 != 0 {
            reader.note(
                "windowMs", .outOfRange, "windowMs must be a multiple of 100, not \(windowMs)")
        }
        maxSilenceMs = reader.integer(
            "maxSilenceMs", in: 0...3_600_000, default: usual.maxSilenceMs)
        maxSightingsPerMessage = reader.integer(
            "maxSightingsPerMessage", in: 1...10_000, default: usual.maxSightingsPerMessage)
    }

    var json: JSON {
        .object([
            .init("windowMs", .integer(windowMs)),
            .init("maxSilenceMs", .integer(maxSilenceMs)),
            .init("maxSightingsPerMessage", .integer(Int64(maxSightingsPerMessage))),
        ])
    }
}
