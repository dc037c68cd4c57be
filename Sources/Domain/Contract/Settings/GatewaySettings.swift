import JSON

/// All that can be set from afar: the sections that the local file and the three layers have in common.
package struct GatewaySettings: Equatable, Sendable {
    /// `nil` when no layer has a word about it: then the controller's advertising is left alone.
    package var advertise: AdvertiseSettings?
    package var report: ReportSettings
    package var filter: FilterSettings

    package init(
        advertise: AdvertiseSettings? = nil, report: ReportSettings = ReportSettings(),
        filter: FilterSettings = FilterSettings()
    ) {
        self.advertise = advertise
        self.report = report
        self.filter = filter
    }

    /// The sections' names.
    package static let sections = ["advertise", "report", "filter"]

    /// Reads what layers have been merged into; throws all that makes no sense.
    package init(merged: JSON) throws(Faults) {
        self = try ObjectReader.decode(merged) { GatewaySettings(from: &$0, isWhole: true) }
    }

    init(from reader: inout ObjectReader, isWhole: Bool) {
        advertise = reader.optionalObject("advertise") {
            AdvertiseSettings(from: &$0, isWhole: isWhole)
        }
        report = reader.optionalObject("report") { ReportSettings(from: &$0) } ?? ReportSettings()
        filter = reader.optionalObject("filter") { FilterSettings(from: &$0) } ?? FilterSettings()
    }

    /// The sections with every value that is in force, defaults included.
    package var json: JSON {
        .object([
            .init("advertise", advertise?.json ?? .object([.init("enabled", .bool(false))])),
            .init("report", report.json),
            .init("filter", filter.json),
        ])
    }
}
