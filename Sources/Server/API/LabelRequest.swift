import Contract
import Facts
import HTTP
import Inventory
import JSON
import Primitives
import Ranging

/// The body of a request: this beacon stands in this zone for some seconds from now on.
struct LabelRequest {
    let beacon: String
    let zone: String
    let seconds: Int64
    /// `nil` if only the zone is known.
    let point: PlanPoint?

    private static let lengths: ClosedRange<Int64> = 10...600
    private static let usualLength: Int64 = 60
    private static let coordinates = -100_000.0...100_000.0
    /// Of a site without a plan.
    private static let mostZones = 100

    static let schema: JSON = [
        "type": "object", "required": ["beacon", "zone"], "additionalProperties": false,
        "example": ["beacon": "shelf-17", "zone": "sales"],
        "properties": [
            "beacon": [
                "type": "string", "description": "UUID/MAJOR/MINOR, or the name in the registry.",
            ],
            "zone": [
                "type": "string", "description": "A zone of the plan; without a plan, any name.",
            ],
            "seconds": [
                "type": "integer", "minimum": .integer(lengths.lowerBound),
                "maximum": .integer(lengths.upperBound), "default": .integer(usualLength),
            ],
            "x": [
                "type": "number",
                "description": "With y, the place in the zone, in metres on the plan.",
            ],
            "y": ["type": "number"],
        ],
    ]

    init(_ body: [UInt8]) throws(Problem) {
        do throws(Faults) {
            self = try ObjectReader.decode(parsing: body, maxBytes: 4096) { Self(&$0) }
        } catch {
            let fault = error.list.first.map { "\($0.message)" } ?? ""
            throw Problem(.badRequest, "The label can't be read: \(fault).")
        }
    }

    private init?(_ reader: inout ObjectReader) {
        beacon = reader.string("beacon")
        zone = reader.string("zone")
        seconds = reader.integer("seconds", in: Self.lengths, default: Self.usualLength)
        let x = reader.optionalNumber("x", in: Self.coordinates)
        let y = reader.optionalNumber("y", in: Self.coordinates)
        if (x == nil) != (y == nil) { reader.note("x", .missing, "x and y belong together") }
        point = x.flatMap { x in y.map { PlanPoint(x, $0) } }
    }

    /// Without a plan, a label may make a new zone.
    func checkZone(of plan: FloorPlan) throws(Problem) {
        let names = plan.zones.map(\.name)
        guard plan.isDrawn else {
            guard point == nil else {
                throw Problem(.badRequest, "x and y are places on a plan, and the site has none.")
            }
            guard Topics.isName(zone) else {
                throw Problem(
                    .badRequest, "The zone has a topic of its own; it must be \(Topics.nameRule).")
            }
            guard names.contains(zone) || names.count < Self.mostZones else {
                throw Problem(.conflict, "The site has \(names.count) zones already.")
            }
            return
        }
        guard let index = names.firstIndex(of: zone) else {
            throw Problem(
                .notFound,
                "The plan has no zone \(zone.quotedForPeople)"
                    + Self.hint(
                        NearestWord.to(zone, among: names),
                        else: "; its zones are \(names.joined(separator: ", "))"))
        }
        if let point, !plan.zones[index].outline.contains(point) {
            throw Problem(.badRequest, "The place is outside of the zone \(zone).")
        }
    }

    /// The beacon of the registry, by its name or its numbers.
    func entry(of table: InventoryTable?) throws(Problem) -> InventoryTable.Entry {
        let entries = (table?.entries ?? []).filter { !$0.isRetired }
        let text = beacon.lowercased()
        let found = entries.filter { $0.item == text || $0.beacon.name?.lowercased() == text }
        guard let entry = found.first else {
            let names = entries.compactMap(\.beacon.name) + entries.map(\.item)
            throw Problem(
                .notFound,
                "\(beacon.quotedForPeople) is no fixed beacon, gateway or asset of the registry"
                    + Self.hint(
                        NearestWord.to(beacon, among: names),
                        else: "; a beacon of a visitor or the staff can't be a label"))
        }
        guard found.count == 1 else {
            throw Problem(
                .badRequest,
                "\(found.count) beacons of the registry have the name \(beacon.quotedForPeople); use UUID/MAJOR/MINOR."
            )
        }
        return entry
    }

    private static func hint(_ near: String?, else other: String) -> String {
        (near.map { "; did you mean \($0.quotedForPeople)?" } ?? "\(other).")
    }
}

extension Endpoint {
    /// The plan of a site, and what people have said of its zones.
    static let plan = [
        Endpoint(
            operation: "getPlan", path: "/api/v1/sites/{site}/plan", scope: .public,
            summary: "The floor, the gateways and the zones of a site, in metres",
            details: " A FeatureCollection of GeoJSON, as zones.geojson.", answer: .json("Plan")
        ) { state, request throws(Problem) in
            let plan = try state.ranging(request).ranging.estimator.plan
            guard plan.isDrawn else {
                throw Problem(
                    .notFound, "The site has no plan; name one with the key plan of the site.")
            }
            return .json(plan.json)
        },
        Endpoint(
            operation: "listLabels", path: "/api/v1/sites/{site}/labels", scope: .read,
            summary: "Where beacons stood, by people who have said so; the oldest first",
            answer: .json("Labels")
        ) { state, request throws(Problem) in
            let (site, ranging) = try state.ranging(request)
            return .json([
                "labels": .array(
                    ranging.labels.labels.map {
                        PlaceLabels.Label.members.json(of: ($0, site.layout.site))
                    })
            ])
        },
        Endpoint(
            operation: "addLabel", method: .post, path: "/api/v1/sites/{site}/labels",
            scope: .manage, summary: "Says that a beacon stands in a zone from now on",
            details:
                " The server notes what the gateways hear of it, and learns it at the end: places become better. Without a plan, labels alone make zones: from the second one on, beacons have probabilities of them. The beacon must be a fixed one, a gateway or an asset of the registry. A restart before the end loses the label.",
            body: LabelRequest.schema, answer: .json("Label")
        ) { state, request throws(Problem) in
            let (site, _) = try state.ranging(request)
            let label = try site.add(try LabelRequest(request.body), wall: state.wall)
            return .json(PlaceLabels.Label.members.json(of: (label, site.layout.site)))
        },
        Endpoint(
            operation: "removeLabel", method: .delete,
            path: "/api/v1/sites/{site}/labels/{label}", scope: .manage,
            summary: "Removes a label by its id, also while its beacon stands",
            details: " The model forgets it at once, the store within a second.",
            answer: .json("Label")
        ) { state, request throws(Problem) in
            let (site, _) = try state.ranging(request)
            let label = try site.removeLabel(request.parameters["label"] ?? "")
            return .json(PlaceLabels.Label.members.json(of: (label, site.layout.site)))
        },
    ]
}

extension ServerState {
    fileprivate func ranging(_ request: Request) throws(Problem) -> (
        site: Site, ranging: SiteRanging
    ) {
        let site = try site(request)
        guard let ranging = site.ranging else {
            throw Problem(
                .notFound,
                "The site has no registry of beacons; name one with the key beacons.registry.")
        }
        return (site, ranging)
    }
}
