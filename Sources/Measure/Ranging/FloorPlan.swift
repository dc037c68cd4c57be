/// A floor with its gateways and zones.
package struct FloorPlan: Equatable, Sendable {
    package struct Gateway: Equatable, Sendable {
        package let name: String
        package let place: RoomPlace

        package init(_ name: String, _ place: RoomPlace) {
            self.name = name
            self.place = place
        }
    }

    package struct Zone: Equatable, Sendable {
        package let name: String
        /// For people; `nil` if it is the name.
        package let title: String?
        package let outline: PlanPolygon

        package init(_ name: String, title: String? = nil, _ outline: PlanPolygon) {
            self.name = name
            self.title = title
            self.outline = outline
        }
    }

    package let floor: PlanPolygon
    /// The height at which beacons are looked for, in metres.
    package let beaconHeight: Double
    package let gateways: [Gateway]
    package let zones: [Zone]

    /// That of a table or a pocket.
    package static let usualHeight = 1.0

    package init(
        floor: PlanPolygon, beaconHeight: Double = usualHeight, gateways: [Gateway],
        zones: [Zone] = []
    ) {
        self.floor = floor
        self.beaconHeight = beaconHeight
        self.gateways = gateways
        self.zones = zones
    }
}
