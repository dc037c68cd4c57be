import Beacons
import HCI
import Primitives

/// The advertising reports of a radio in some seconds.
struct ReportCounts: Equatable {
    /// All advertising reports.
    var reports = 0
    /// Reports of iBeacons.
    var beacons = 0
    /// The highest RSSI of each identity, in dBm; at most `mostIdentities`.
    var strongest: [BeaconIdentity: Int8] = [:]

    /// Limits the memory if identities are forged.
    private static let mostIdentities = 10_000

    /// Counts the reports of an advertising event.
    mutating func add(_ event: Bytes) {
        guard var walk = AdvertisingReports(event: event) else { return }
        // A malformed report ends the walk; the reports before it count.
        while let report = try? walk.next(in: event) {
            reports += 1
            let data = event.extracting(report.data)
            guard let beacon = try? IBeacon(advertisingData: data) else { continue }
            beacons += 1
            guard report.rssi.isAvailable, report.rssi.isPlausible else { continue }
            add(beacon.identity, at: report.rssi.dBm)
        }
    }

    private mutating func add(_ identity: BeaconIdentity, at dBm: Int8) {
        if let before = strongest[identity] {
            strongest[identity] = max(before, dBm)
        } else if strongest.count < Self.mostIdentities {
            strongest[identity] = dBm
        }
    }
}
