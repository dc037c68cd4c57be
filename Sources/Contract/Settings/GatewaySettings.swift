import JSON

/// All settings that layers can change: the sections that the local file and the three layers have in common.
package struct GatewaySettings: Equatable, Sendable {
    /// `nil` when no layer has the section: then the agent leaves the controller's advertising unchanged.
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

    /// All keys that a layer may have.
    package static let keys: [ConfigurationKey<GatewaySettings>] = [
        .optionalSection("advertise", \.advertise), .section("report", \.report),
        .section("filter", \.filter),
    ]

    /// Reads merged layers; throws all faults.
    package init(merged: JSON) throws(Faults) {
        self = try ObjectReader.decode(merged) { GatewaySettings(from: &$0) }
    }

    init(from reader: inout ObjectReader) {
        self.init()
        Self.keys.read(&reader, &self)
    }

    /// The sections with every value in force, including defaults.
    package var json: JSON {
        guard advertise == nil else { return Self.keys.json(self) }
        return JSON.object([.init("advertise", ["enabled": false])])
            .merging(Self.keys.json(self))
    }
}
