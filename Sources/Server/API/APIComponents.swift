import HTTP
import Inventory
import JSON
import Queueing
import Regions
import Results
import ServerConfiguration

/// The components of the API's description: results, and documents that have no topic.
enum APIComponents {
    static let all: [JSON.Member] = results + basic + present + past

    private static let results: [JSON.Member] =
        PresentKind.all.map { .init($0.component, component($0.kind)) } + [
            .init("Minute", component(MinuteResult.kind)),
            .init("Visit", component(VisitResult.kind)),
            .init("RegionEvent", component(RegionEventResult.kind)),
            .init("BeaconEvent", component(BeaconEventResult.kind)),
            .init("Waits", MinuteResult.kind["waits"] ?? .null),
            .init("Scores", MinuteResult.kind["scores"] ?? .null),
        ]

    /// The schema of a file of `config/contract/schemas`, as a component.
    private static func component(_ kind: ResultKind) -> JSON {
        .object(
            [.init("title", .string(kind.title)), .init("description", .string(kind.help))]
                + ResultType.object(kind.parts).schema())
    }

    private static func object(_ name: String, _ parts: [ResultPart]) -> JSON.Member {
        .init(name, .object(ResultType.object(parts).schema()))
    }

    private static func object(
        _ name: String, _ help: String, _ parts: [ResultPart]
    ) -> JSON.Member {
        .init(
            name,
            .object([.init("description", .string(help))] + ResultType.object(parts).schema()))
    }

    /// A list of a component.
    private static func list(of component: String) -> ResultType {
        .list(.reference("#/components/schemas/\(component)"))
    }

    private static let basic: [JSON.Member] = [
        .init("name", ["type": "string", "pattern": #"^(?!\.+$)[A-Za-z0-9._-]{1,64}$"#]),
        .init(
            "time",
            ["description": "Milliseconds since 1970, UTC.", "type": "integer", "minimum": 0]),
        object(
            "Problem",
            [
                .init("type", .text), .init("title", .text),
                .init("status", .number(isWhole: true, minimum: 400, maximum: 599)),
                .init("detail", .text, help: "The fault and its remedy."),
                .init("instance", .text, isOptional: true),
                .init(
                    "keptFrom", .number(isWhole: true),
                    help:
                        "The time from which visits are kept, where those of the requested time are removed.",
                    isOptional: true),
            ]),
        object("Sites", [.init("sites", .list(.object(Site.members.map(\.part))))]),
    ]

    private static let present: [JSON.Member] =
        PresentKind.all.map { kind in
            object(kind.listComponent, [.init(kind.list, list(of: kind.component))])
        } + [
            object("Label", PlaceLabels.Label.members.map(\.part)),
            object("Labels", [.init("labels", list(of: "Label"), help: "The oldest first.")]),
            object("Definition", RegionDefinition.members.map(\.part)),
            object(
                "Definitions",
                [
                    .init("regions", list(of: "Definition")),
                    .init(
                        "changes", .list(.object(EditedRegions.Change.members.map(\.part))),
                        help: "The newest first."),
                ]),
            .init(
                "Plan",
                [
                    "description": "The plan of a site: a FeatureCollection in metres.",
                    "type": "object", "required": ["type", "crs", "features"],
                    "properties": [
                        "type": ["const": "FeatureCollection"], "crs": ["const": "local"],
                        "features": ["type": "array", "items": ["type": "object"]],
                    ],
                ]),
            object("Gateways", [.init("gateways", list(of: "Gateway"), help: "Worst first.")]),
            object("Gateway", GatewayOverview.members.map(\.part)),
            object("Server", ServerState.members.map(\.part)),
            object(
                "Snapshot", "All that the other events then change.",
                [.init("server", .reference("#/components/schemas/Server"))]
                    + PresentKind.named.map { .init($0.list, list(of: $0.component)) } + snapshot),
            object(
                "Truth", "What a simulation says: people in line from a time on.",
                TruthLog.members.map(\.part)),
        ]

    private static let snapshot: [ResultPart] = [
        .init("gateways", list(of: "Gateway")),
        .init(
            "truth",
            .schema([
                .init("type", "object"),
                .init("additionalProperties", .object(TruthLog.points.schema())),
            ]),
            help:
                "Only with the truth of a simulation: by queue, pairs of time and people of the last half hour.",
            isOptional: true),
    ]

    private static let past: [JSON.Member] = [
        object("Period", PeriodResult.kind.parts),
        .init(
            "StoredMinute",
            [
                "allOf": [["$ref": "#/components/schemas/Minute"]],
                "properties": ["restated": MinuteResult.stored["restated"] ?? .null],
            ]),
        object(
            "History",
            [
                .init("site", .name), .init("queue", .name),
                .init("step", .words(["minute", "hour", "day"])), .init("from", .time),
                .init("to", .time),
                .init(
                    "periods",
                    .list(
                        .schema([
                            .init(
                                "anyOf",
                                [
                                    ["$ref": "#/components/schemas/StoredMinute"],
                                    ["$ref": "#/components/schemas/Period"],
                                ])
                        ])), help: "Minutes; with step, hours or days."),
            ]),
        object(
            "Visits",
            [
                .init(
                    "keptFrom", .number(isWhole: true),
                    help: "The time from which visits are kept."),
                .init("visits", list(of: "Visit"), help: "10,000 at most, the first ones."),
                .init(
                    "provisional", list(of: "Visit"),
                    help: "Visits of the last hour that later messages can still change."),
                .init("truncated", .flag, help: "Whether there are more."),
            ]),
        object(
            "RegionEvents",
            [
                .init(
                    "keptFrom", .number(isWhole: true),
                    help: "The time from which events are kept."),
                .init("events", list(of: "RegionEvent"), help: "10,000 at most, the last ones."),
                .init("truncated", .flag, help: "Whether there are more, which are older."),
            ]),
        object(
            "BeaconEvents",
            [
                .init("events", list(of: "BeaconEvent"), help: "10,000 at most, the last ones."),
                .init("truncated", .flag, help: "Whether there are more, which are older."),
            ]),
        object("Evidence", Evidence.parts),
        object(
            "Typical",
            [
                .init("weekday", .number(isWhole: true, minimum: 1, maximum: 7)),
                .init("slots", .list(.object(TypicalDay.Slot.members.map(\.part)))),
            ]),
        .init("Description", ["type": "object"]),
    ]
}

/// The names of a kind in the API.
extension PresentKind {
    var component: String { Self.capitalised(kind.name) }
    var listComponent: String { Self.capitalised(list) }

    private static func capitalised(_ name: String) -> String {
        name.prefix(1).uppercased() + name.dropFirst()
    }
}
