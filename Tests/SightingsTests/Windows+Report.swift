import Beacons
import Primitives

@testable import Sightings

extension Windows {
    /// A classified advertising report, as a value for tables and models.
    enum Report {
        case beacon(BeaconFrame, rssi: RSSI, sender: DeviceAddress)
        case other
        case malformed
    }

    mutating func count(_ report: Report, at instant: Instant) {
        switch report {
        case .beacon(let beacon, let rssi, let sender):
            count(beacon, rssi: rssi, from: sender, at: instant)
        case .other: countOther(at: instant)
        case .malformed: countMalformed(at: instant)
        }
    }
}
