import JSON

extension FloorPlan {
    /// The same as a document that `PlanDocument` reads.
    package var json: JSON {
        let floor = Self.feature(
            ["role": "floor", "height": .number(beaconHeight)], Self.polygon(self.floor))
        return [
            "type": "FeatureCollection", "crs": "local",
            "features": .array([floor] + zones.map(Self.feature) + gateways.map(Self.feature)),
        ]
    }

    private static func feature(_ zone: Zone) -> JSON {
        var properties = [JSON.Member("zone", .string(zone.name))]
        if let title = zone.title { properties.append(.init("name", .string(title))) }
        return feature(.object(properties), polygon(zone.outline))
    }

    private static func feature(_ gateway: Gateway) -> JSON {
        feature(
            ["gateway": .string(gateway.name), "z": .number(gateway.place.z)],
            ["type": "Point", "coordinates": pair(gateway.place.point)])
    }

    private static func feature(_ properties: JSON, _ geometry: JSON) -> JSON {
        ["type": "Feature", "properties": properties, "geometry": geometry]
    }

    private static func polygon(_ outline: PlanPolygon) -> JSON {
        let ring = (outline.corners + outline.corners.prefix(1)).map(pair)
        return ["type": "Polygon", "coordinates": .array([.array(ring)])]
    }

    private static func pair(_ point: PlanPoint) -> JSON {
        .array([.number(point.x), .number(point.y)])
    }
}
