import Contract
import Sightings

extension Windows.Settings {
    /// The windows that settings ask for.
    init(_ settings: GatewaySettings, maxIdentities: Int, own: OwnBeacon? = nil) {
        self.init(
            width: settings.report.windowMs * 1000, maxIdentities: maxIdentities,
            uuids: Set(settings.filter.uuids), own: own)
    }
}

extension Batcher.Settings {
    /// The messages that settings ask for.
    init(_ report: ReportSettings) {
        self.init(
            maxSilence: report.maxSilenceMs * 1000, maxSightings: report.maxSightingsPerMessage)
    }
}
