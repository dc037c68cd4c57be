import Contract
import HTTP
import JSON
import Queueing

extension Endpoint {
    /// The regions that people set in the browser.
    static let definitions = [
        Endpoint(
            operation: "listDefinitions", path: "/api/v1/sites/{site}/definitions", scope: .read,
            summary: "The definitions of the regions, and what people have changed in the browser",
            answer: .json("Definitions")
        ) { state, request throws(Problem) in
            .json(try state.site(request).definitionsDocument)
        },
        Endpoint(
            operation: "setRegion", method: .put,
            path: "/api/v1/sites/{site}/definitions/{region}", scope: .manage,
            summary: "Sets a region beside those of the server's file",
            details:
                " Its members are those of regions in the server's file. All regions of the site begin anew, as after a restart. The store keeps each change with the name of the token.",
            body: schema, answer: .json("Definition")
        ) { state, request throws(Problem) in
            let site = try state.site(request)
            let layout = try RegionLayout(of: request)
            try site.set(layout.name, layout, by: request.client ?? "", wall: state.wall)
            return .json(
                RegionDefinition.members.json(of: .init(layout: layout, source: .page)))
        },
        Endpoint(
            operation: "removeRegion", method: .delete,
            path: "/api/v1/sites/{site}/definitions/{region}", scope: .manage,
            summary: "Removes a region that was set in the browser",
            details:
                " The store keeps its events until their time is over; a region of this name has them again.",
            answer: .json("Definitions")
        ) { state, request throws(Problem) in
            let site = try state.site(request)
            let name = request.parameters["region"] ?? ""
            try site.set(name, nil, by: request.client ?? "", wall: state.wall)
            return .json(site.definitionsDocument)
        },
    ]

    private static let schema: JSON = [
        "type": "object", "required": ["gateways"], "additionalProperties": false,
        "example": ["gateways": ["entry-1"], "kind": "visitor"],
        "properties": [
            "gateways": ["type": "array", "minItems": 1, "items": ["type": "string"]],
            "beacons": ["type": "array", "minItems": 1, "items": ["type": "object"]],
            "kind": ["enum": .array(RegionLayout.Kind.allCases.map { .string($0.rawValue) })],
            "exitMs": ["type": "integer"], "falseExitsPerDay": ["type": "number"],
        ],
    ]
}

extension Site {
    fileprivate var definitionsDocument: JSON {
        let changes = edited.changes.reversed()
        return [
            "regions": .array(definitions.map { RegionDefinition.members.json(of: $0) }),
            "changes": .array(changes.map { EditedRegions.Change.members.json(of: $0) }),
        ]
    }
}

extension RegionLayout {
    fileprivate init(of request: Request) throws(Problem) {
        let name = JSON.Member("region", .string(request.parameters["region"] ?? ""))
        guard
            case .object(let members)? = try? JSON(parsing: request.body, maxBytes: 1 << 16)
        else { throw Problem(.badRequest, "The region must be a JSON object.") }
        let json = JSON.object([name] + members.filter { $0.key != name.key })
        do throws(Faults) {
            self = try ObjectReader.decode(json) { RegionLayout(from: &$0) }
        } catch {
            let fault = error.list.first.map { "\($0.message)" } ?? ""
            throw Problem(.badRequest, "The region can't be read: \(fault).")
        }
    }
}
