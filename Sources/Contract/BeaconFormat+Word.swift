import Beacons

extension BeaconIdentity.Format {
    /// The member `type` of a sighting.
    package var word: String {
        switch self {
        case .iBeacon: "ibeacon"
        case .eddystoneUID: "eddystone-uid"
        case .altBeacon: "altbeacon"
        }
    }

    init?(word: String) {
        guard let format = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = format
    }
}
