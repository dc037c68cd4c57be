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

    /// Without corners if nobody has drawn a plan: places are then unknown, and zones are known by labels alone.
    package let floor: PlanPolygon
    /// The height at which beacons are looked for, in metres.
    package let beaconHeight: Double
    package let gateways: [Gateway]
    package let zones: [Zone]

    package var isDrawn: Bool { !floor.corners.isEmpty }

    /// Of a site without a plan.
    package init(undrawn gateways: [String], zones: [String] = []) {
        let nowhere = RoomPlace(PlanPoint(0, 0), z: Self.usualHeight)
        self.init(
            floor: PlanPolygon([]), gateways: gateways.map { Gateway($0, nowhere) },
            zones: zones.map { Zone($0, PlanPolygon([])) })
    }

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
