import Contract
import JSON

/// The share of people who carry a beacon. Beacons alone cannot show it.
package struct CoverageSettings: ConfigurationSection {
    package var percent = 100
    package var low: Int?
    package var high: Int?

    package init() {}

    package static let help =
        "The share of people who carry a beacon. Without it, and without receipts of the tills, "
        + "lengths count people with a beacon."
    package static let keys: [ConfigurationKey<CoverageSettings>] = [
        .value(
            "percent", \.percent, .integer(in: 1...100), isRequired: true,
            help: "The share in percent."),
        .optional(
            "lowPercent", \.low, .integer(in: 1...100), example: 25,
            help: "The lower end of what the share may be. The default is the share."),
        .optional(
            "highPercent", \.high, .integer(in: 1...100), example: 35,
            help: "The upper end of what the share may be. The default is the share."),
    ]

    package mutating func complete(_ reader: inout ObjectReader) {
        if let low, low > percent {
            reader.note("lowPercent", .outOfRange, "lowPercent must be at most percent, \(percent)")
        }
        if let high, high < percent {
            reader.note(
                "highPercent", .outOfRange, "highPercent must be at least percent, \(percent)")
        }
    }

    package var share: Double { Double(percent) / 100 }
    package var lowest: Double { Double(low ?? percent) / 100 }
    package var highest: Double { Double(high ?? percent) / 100 }
}
