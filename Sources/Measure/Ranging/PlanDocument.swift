import JSON
import Primitives

/// `zones.geojson`: a FeatureCollection in metres, with a polygon for the floor, polygons for zones, points for gateways.
package struct PlanDocument: Equatable, Sendable {
    /// `nil` after a fault.
    package private(set) var plan: FloorPlan?
    /// All of the file; a pointer names the feature.
    package private(set) var faults: [Fault] = []
    private var features = Features()

    private struct Features: Equatable {
        var floor: (outline: PlanPolygon, height: Double)?
        var gateways: [(feature: Int, gateway: FloorPlan.Gateway)] = []
        var zones: [(feature: Int, zone: FloorPlan.Zone)] = []

        static func == (left: Self, right: Self) -> Bool { true }
    }

    package static let maxBytes = 4 << 20
    package static let mostFeatures = 1000
    package static let mostCorners = 1000
    /// A coordinate is at most so far from 0, in metres.
    private static let farthest = 100_000.0

    /// Reads a file, and finds all its faults.
    package init(parsing bytes: [UInt8]) {
        let json: JSON
        do throws(JSONSyntaxError) {
            json = try JSON(parsing: bytes, maxBytes: Self.maxBytes)
        } catch {
            faults = [Fault(.root, .invalidJSON, "\(error)")]
            return
        }
        guard json["type"] == "FeatureCollection", case .array(let list)? = json["features"] else {
            note("type must be FeatureCollection, with the array features", at: .root, .wrongType)
            return
        }
        guard json["crs"] == "local" else {
            note(
                "crs must be local: coordinates are metres on the floor, not degrees",
                at: .root.appending("crs"), .outOfRange)
            return
        }
        guard list.count <= Self.mostFeatures else {
            note("more than \(Self.mostFeatures) features", at: .root, .tooLarge)
            return
        }
        for (index, feature) in list.enumerated() { read(feature, index) }
        compare()
        guard faults.isEmpty, let floor = features.floor else { return }
        plan = FloorPlan(
            floor: floor.outline, beaconHeight: floor.height,
            gateways: features.gateways.map(\.gateway), zones: features.zones.map(\.zone))
    }

    private static func pointer(_ feature: Int) -> JSONPointer {
        .root.appending("features").appending(feature)
    }

    private mutating func note(_ sentence: String, at pointer: JSONPointer, _ code: Fault.Code) {
        faults.append(Fault(pointer, code, sentence))
    }

    private mutating func note(
        _ sentence: String, of feature: Int, _ code: Fault.Code = .outOfRange
    ) {
        note(sentence, at: Self.pointer(feature), code)
    }

    // MARK: Features

    private mutating func read(_ feature: JSON, _ index: Int) {
        guard let properties = feature["properties"], let geometry = feature["geometry"] else {
            note("a feature needs properties and geometry", of: index, .missing)
            return
        }
        let name = Self.text(properties["zone"])
        let gateway = Self.text(properties["gateway"])
        let isFloor = properties["role"] == "floor"
        switch (gateway, isFloor, name) {
        case (let gateway?, false, nil): readGateway(gateway, properties, geometry, index)
        case (nil, true, nil): readFloor(properties, geometry, index)
        case (nil, false, let name?): readZone(name, properties, geometry, index)
        default:
            note(
                "the properties must have one of gateway, zone and role: floor", of: index, .missing
            )
        }
    }

    private mutating func readGateway(
        _ name: String, _ properties: JSON, _ geometry: JSON, _ index: Int
    ) {
        guard geometry["type"] == "Point", case .array(let pair)? = geometry["coordinates"],
            let point = Self.point(pair)
        else {
            note(
                "a gateway is a Point with the coordinates [x, y] in metres", of: index, .wrongType)
            return
        }
        guard let z = Self.metres(properties["z"] ?? .number(FloorPlan.usualHeight)),
            (-100...100).contains(z)
        else {
            note("z must be the height in metres, -100 to 100", of: index)
            return
        }
        if let other = features.gateways.first(where: { $0.gateway.name == name }) {
            note("the gateway \(name.quoted) is feature \(other.feature) already", of: index)
        }
        features.gateways.append((index, .init(name, RoomPlace(point, z: z))))
    }

    private mutating func readFloor(_ properties: JSON, _ geometry: JSON, _ index: Int) {
        guard let outline = polygon(geometry, index) else { return }
        guard let height = Self.metres(properties["height"] ?? .number(FloorPlan.usualHeight)),
            (0...100).contains(height)
        else {
            note("height must be that of the beacons in metres, 0 to 100", of: index)
            return
        }
        guard features.floor == nil else {
            note("a plan has one floor; write a file for each", of: index)
            return
        }
        features.floor = (outline, height)
    }

    private mutating func readZone(
        _ name: String, _ properties: JSON, _ geometry: JSON, _ index: Int
    ) {
        guard let outline = polygon(geometry, index) else { return }
        if let other = features.zones.first(where: { $0.zone.name == name }) {
            note("the zone \(name.quoted) is feature \(other.feature) already", of: index)
        }
        features.zones.append(
            (index, .init(name, title: Self.text(properties["name"]), outline)))
    }

    private mutating func polygon(_ geometry: JSON, _ index: Int) -> PlanPolygon? {
        guard geometry["type"] == "Polygon", case .array(let rings)? = geometry["coordinates"],
            rings.count == 1, case .array(let pairs) = rings[0], pairs.count <= Self.mostCorners
        else {
            note("it must be a Polygon with one outline, without holes", of: index, .wrongType)
            return nil
        }
        let points = pairs.map { pair in
            if case .array(let pair) = pair { Self.point(pair) } else { PlanPoint?.none }
        }
        let outline = PlanPolygon(points.compactMap { $0 })
        guard points.allSatisfy({ $0 != nil }), points.count > 3, points.first == points.last else {
            note(
                "its outline must be pairs [x, y] in metres, the first one again at the end",
                of: index)
            return nil
        }
        guard outline.area > 0.01, !outline.crossesItself else {
            note("its outline crosses itself or has no area", of: index)
            return nil
        }
        return outline
    }

    // MARK: Values

    private static func text(_ json: JSON?) -> String? {
        if case .string(let text)? = json, !text.isEmpty, text.utf8.count <= 200 {
            text
        } else {
            nil
        }
    }

    private static func metres(_ json: JSON) -> Double? {
        switch json {
        case .integer(let number) where number.magnitude <= UInt64(farthest): Double(number)
        case .number(let number) where abs(number) <= farthest: number
        default: nil
        }
    }

    /// A third coordinate is ignored, as in other readers.
    private static func point(_ pair: [JSON]) -> PlanPoint? {
        guard pair.count >= 2, let x = metres(pair[0]), let y = metres(pair[1]) else { return nil }
        return PlanPoint(x, y)
    }

    // MARK: The whole

    private mutating func compare() {
        let features = features
        guard let floor = features.floor?.outline else {
            note(
                "no feature has role: floor; draw the outline of the floor", at: .root, .missing)
            return
        }
        if features.gateways.isEmpty {
            note("no feature is a gateway; without one nothing is heard", at: .root, .missing)
        }
        for (feature, gateway) in features.gateways {
            let (low, high) = floor.bounds
            let point = gateway.place.point
            let isNear =
                (low.x - 1...high.x + 1).contains(point.x)
                && (low.y - 1...high.y + 1).contains(point.y)
            if !isNear {
                note("the gateway \(gateway.name.quoted) is outside of the floor", of: feature)
            }
        }
        for (index, (feature, zone)) in features.zones.enumerated() {
            if zone.outline.isOutside(floor) {
                note("the zone \(zone.name.quoted) is outside of the floor", of: feature)
            }
            for (other, before) in features.zones.prefix(index)
            where zone.outline.overlaps(before.outline) {
                note(
                    "the zone \(zone.name.quoted) overlaps \(before.name.quoted), feature \(other)",
                    of: feature)
            }
        }
    }
}

extension PlanPolygon {
    /// Whether both have an inner point in common. Zones that touch do not.
    fileprivate func overlaps(_ other: PlanPolygon) -> Bool {
        crosses(other) || hasInside(other) || other.hasInside(self)
    }

    /// Whether the middle of the other one, or one of its corners drawn a little to it, is inside.
    private func hasInside(_ other: PlanPolygon) -> Bool {
        let count = Double(max(other.corners.count, 1))
        let middle = PlanPoint(
            other.corners.map(\.x).reduce(0, +) / count, other.corners.map(\.y).reduce(0, +) / count
        )
        let points = other.corners.map {
            PlanPoint($0.x + (middle.x - $0.x) * 1e-4, $0.y + (middle.y - $0.y) * 1e-4)
        }
        return ([middle] + points).contains { other.contains($0) && contains($0) }
    }

    /// Whether a part of it is not on the floor.
    fileprivate func isOutside(_ floor: PlanPolygon) -> Bool {
        let (low, high) = floor.bounds
        let isBeyond = corners.contains {
            $0.x < low.x - 0.01 || $0.x > high.x + 0.01 || $0.y < low.y - 0.01
                || $0.y > high.y + 0.01
        }
        return isBeyond || crosses(floor)
    }
}

extension String {
    fileprivate var quoted: String { "“\(printable(limit: 100))”" }
}
