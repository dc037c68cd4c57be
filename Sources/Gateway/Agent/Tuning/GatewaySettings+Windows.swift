import Beacons
import Contract
import Sightings

extension Windows.Settings {
    /// The windows that settings ask for.
    init(_ settings: GatewaySettings, maxIdentities: Int, own: OwnBeacon? = nil) {
        self.init(
            width: settings.report.window, maxIdentities: maxIdentities,
            maxSightings: settings.report.maxSightingsPerWindow,
            filter: BeaconFilter(settings.filter), own: own)
    }
}

extension BeaconFilter {
    init(_ filter: FilterSettings) {
        self.init(
            formats: BeaconFormats(filter.formats), uuids: filter.uuids, majors: filter.majors,
            namespaces: filter.namespaces)
    }
}

extension Batcher.Settings {
    /// The messages that settings ask for.
    init(_ report: ReportSettings) {
        self.init(
            maxSilence: report.maxSilence,
            maxSightings: report.maxSightingsPerMessage)
    }
}
