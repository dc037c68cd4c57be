import Beacons
import HCI
import Primitives

/// What a radio has let us hear for a while.
struct Hearing: Equatable {
    /// Advertising reports, whatever they say.
    var reports = 0
    /// Those of iBeacons.
    var beacons = 0
    /// The identities that were heard, each with its strongest RSSI in dBm; as many as may be, and no more.
    var loudest: [BeaconIdentity: Int8] = [:]

    /// They come from the air: somebody may make them up.
    private static let mostIdentities = 10_000

    /// Counts the reports of an advertising event.
    mutating func hear(_ event: Bytes) {
        guard var walk = AdvertisingReports(event: event) else { return }
        // What is malformed ends the walk; those before it count.
        while let report = try? walk.next(in: event) {
            reports += 1
            let data = event.extracting(report.data)
            guard let beacon = try? IBeacon(advertisingData: data) else { continue }
            beacons += 1
            guard report.rssi.isAvailable, report.rssi.isPlausible else { continue }
            hear(beacon.identity, at: report.rssi.dBm)
        }
    }

    private mutating func hear(_ identity: BeaconIdentity, at dBm: Int8) {
        if let before = loudest[identity] {
            loudest[identity] = max(before, dBm)
        } else if loudest.count < Self.mostIdentities {
            loudest[identity] = dBm
        }
    }
}
