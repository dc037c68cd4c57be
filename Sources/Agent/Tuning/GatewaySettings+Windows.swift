import Contract
import Sightings

extension Windows.Settings {
    /// What settings mean for windows.
    init(_ settings: GatewaySettings, maxIdentities: Int, own: OwnBeacon? = nil) {
        self.init(
            width: settings.report.windowMs * 1000, maxIdentities: maxIdentities,
            uuids: Set(settings.filter.uuids), own: own)
    }
}

extension Batcher.Settings {
    /// What settings mean for messages.
    init(_ report: ReportSettings) {
        self.init(
            maxSilence: report.maxSilenceMs * 1000, maxSightings: report.maxSightingsPerMessage)
    }
}
