import Primitives

/// The rows of the network of beacons.
extension StoreBatch {
    /// An event of the network of beacons. No visitor's beacon has any.
    package struct BeaconEvent: Equatable, Sendable {
        package let site: String
        package let decided: UnixTime
        package let beacon: String
        package let id: String
        /// The published JSON.
        package let document: [UInt8]

        package init(
            site: String, decided: UnixTime, beacon: String, id: String, document: [UInt8]
        ) {
            self.site = site
            self.decided = decided
            self.beacon = beacon
            self.id = id
            self.document = document
        }
    }

    /// A beacon that has stood in a zone of the plan. No person's beacon has any.
    package struct PlaceLabel: Equatable, Sendable {
        package let site: String
        package let beacon: String
        package let start: UnixTime
        /// JSON: the zone, the place, and what the gateways have heard. Empty of one that was removed.
        package let document: [UInt8]

        package init(site: String, beacon: String, start: UnixTime, document: [UInt8]) {
            self.site = site
            self.beacon = beacon
            self.start = start
            self.document = document
        }

        /// Says that the label of the same beacon and time is removed: it takes its place.
        package static func removal(site: String, beacon: String, start: UnixTime) -> Self {
            Self(site: site, beacon: beacon, start: start, document: Array("{}".utf8))
        }

        package var isRemoval: Bool { document.count <= 2 }
    }

    /// What a person has changed of a region.
    package struct RegionChange: Equatable, Sendable {
        package let site: String
        package let at: UnixTime
        package let region: String
        /// The name of the token.
        package let client: String
        /// JSON: the definition, or empty of a region that was removed.
        package let document: [UInt8]

        package init(
            site: String, at: UnixTime, region: String, client: String, document: [UInt8]
        ) {
            (self.site, self.at, self.region) = (site, at, region)
            (self.client, self.document) = (client, document)
        }
    }

    /// What an hour has taught about the network of beacons: bytes of the room `Inventory`.
    package struct BeaconHour: Equatable, Sendable {
        package let site: String
        package let start: UnixTime
        package let body: [UInt8]

        package init(site: String, start: UnixTime, body: [UInt8]) {
            self.site = site
            self.start = start
            self.body = body
        }
    }
}
