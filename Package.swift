// swift-tools-version: 6.0
import PackageDescription

// packaging/compile names the commit; a plain build does not know it.
let commit = Context.environment["SIGHTLINE_COMMIT"] ?? "unknown"

// The rooms, group by group; each room imports only rooms that are listed in its row.
// ARCHITECTURE.md says what each one owns.
let package = Package(
    name: "sightline",
    products: [
        .executable(name: "sightlined", targets: ["sightlined"]),
        .executable(name: "sightline", targets: ["sightline"]),
        .executable(name: "sightline-server", targets: ["sightline-server"]),
    ],
    targets: [
        // C libraries. One Swift file calls each of them.
        library("CLinux"),
        library("CBlueZ", "libbluetooth-dev"),
        library("CMosquitto", "libmosquitto-dev"),
        library("CPostgreSQL", "libpq-dev"),
        library("CSQLite", "libsqlite3-dev"),
        library("CSSL", "libssl-dev"),
        library("CMicroHTTP", "libmicrohttpd-dev"),
        library("CJSON", "libjson-c-dev"),
        .target(
            name: "CBuild", path: "Sources/C/CBuild",
            cSettings: [.define("SIGHTLINE_COMMIT", to: commit)]),

        room("Base", "Primitives"),
        room("Base", "CommandLine", ["Primitives"]),
        room("Base", "JSON", ["CJSON", "Primitives"]),
        room("Base", "Posix", ["CLinux", "Primitives"]),
        room("Base", "SQL", ["Primitives"]),
        room("Base", "SQLite", ["CSQLite", "Posix", "Primitives", "SQL"]),
        room("Base", "PostgreSQL", ["CPostgreSQL", "Posix", "Primitives", "SQL"]),
        room(
            "Base", "HTTP", ["CMicroHTTP", "JSON", "Posix", "Primitives"],
            exclude: ["README.md"]),

        // On the air: advertisements, and controllers that receive and send them.
        room("Air", "Beacons", ["Primitives"]),
        room("Air", "HCI", ["Beacons", "Primitives"]),
        room("Air", "Radio", ["Beacons", "CBlueZ", "HCI", "Posix", "Primitives"]),

        // What the programs agree on: topics, messages, layers, keys, and the files that people write.
        room(nil, "Contract", ["Beacons", "CBuild", "JSON", "Primitives", "Sightings"]),
        room(nil, "Configuration", ["Beacons", "Contract", "JSON", "Posix"]),
        room(
            nil, "ServerConfiguration",
            [
                "Configuration", "Contract", "Inventory", "JSON", "Posix", "Primitives", "Queueing",
                "Ranging", "Regions", "Results",
            ]),
        room(nil, "Logging", ["Configuration", "JSON", "Posix"]),

        // The broker.
        room("Messaging", "MQTT", ["CMosquitto", "CSSL", "Posix", "Primitives"]),
        room(
            "Messaging", "Session",
            ["Configuration", "Contract", "MQTT", "Posix", "Primitives"]),
        room(
            "Messaging", "Subscriber",
            ["Contract", "JSON", "MQTT", "Posix", "Primitives", "Sightings"]),

        // From reports to acknowledged messages.
        room("Gateway", "Sightings", ["Beacons", "Primitives"], libraries: ["m"]),
        room(
            "Gateway", "Outbox", ["Beacons", "Posix", "Primitives", "SQLite", "Sightings"],
            exclude: ["README.md"]),
        room(
            "Gateway", "Agent",
            [
                "Beacons", "CommandLine", "Configuration", "Contract", "HCI", "HomeAssistant",
                "JSON", "Logging", "MQTT", "Outbox", "Posix", "Primitives", "Prometheus", "Radio",
                "Session", "Sightings",
            ]),

        // From messages to numbers: how a kind of result is declared, and the results of queues.
        room("Measure", "Results", ["Contract", "JSON", "Primitives"]),
        room(
            "Measure", "Facts", ["Beacons", "Contract", "Primitives", "Sightings"],
            exclude: ["README.md"]),
        room(
            "Measure", "Inventory",
            ["Beacons", "Contract", "Facts", "JSON", "Primitives", "Results"],
            exclude: ["README.md"]),
        room(
            "Measure", "Queueing",
            ["Beacons", "Contract", "Facts", "JSON", "Primitives", "Results"],
            exclude: ["README.md"]),
        room(
            "Measure", "Regions",
            ["Beacons", "Contract", "Facts", "JSON", "Primitives", "Queueing", "Results"],
            exclude: ["README.md"]),

        room(
            "Measure", "Ranging",
            ["Contract", "Facts", "JSON", "Primitives", "Queueing", "Results"],
            exclude: ["README.md"]),

        room(
            "Integrations", "HomeAssistant",
            ["Contract", "JSON", "Primitives", "Results", "Sightings"]),
        room("Integrations", "Prometheus", ["Contract", "JSON", "Results", "Sightings"]),

        // The server, and what it keeps.
        room(
            "Store", "ResultStore",
            ["Facts", "Posix", "Primitives", "Queueing", "SQL", "Sightings"]),
        room(
            "Store", "StoreSQLite",
            ["JSON", "Posix", "Primitives", "ResultStore", "SQL", "SQLite"]),
        room(
            "Store", "StorePostgres",
            ["Posix", "PostgreSQL", "Primitives", "ResultStore", "SQL"]),
        room(
            nil, "Server",
            [
                "Beacons", "CommandLine", "Configuration", "Contract", "Diagnosis", "Facts", "HTTP",
                "HomeAssistant", "Inventory", "JSON", "Logging", "MQTT", "Posix", "Primitives",
                "Prometheus", "Queueing", "Ranging", "Regions", "ResultStore", "Results",
                "ServerConfiguration", "Session", "Sightings", "Subscriber", "Terminal",
            ], exclude: ["Page"]),

        // The subcommands of `sightline`, and what `sightline-server` shares with them.
        room(
            "Tools", "Terminal",
            [
                "CommandLine", "Configuration", "Contract", "JSON", "MQTT", "Posix", "Primitives",
                "Session", "Subscriber",
            ]),
        room(
            "Tools", "Diagnosis",
            ["Configuration", "Contract", "JSON", "MQTT", "Posix", "Primitives", "Session"]),
        room(
            "Tools", "Subcommands",
            [
                "Beacons", "CommandLine", "Configuration", "Contract", "Diagnosis", "Facts", "HCI",
                "HomeAssistant", "Inventory", "JSON", "MQTT", "Posix", "Primitives", "Queueing",
                "Radio", "Ranging", "Regions", "Results", "ServerConfiguration", "Session",
                "Sightings", "Subscriber", "Terminal",
            ]),

        // Simulated beacons, controllers and visitors.
        room(nil, "VirtualRadio", ["Beacons", "Contract", "HCI", "JSON", "Posix", "Primitives"]),

        // What is generated from declarations: man pages, completions, schemas, the example.
        room(
            nil, "Documentation",
            [
                "Beacons", "CommandLine", "Terminal", "Configuration", "Contract", "JSON",
                "Queueing", "Results", "ServerConfiguration",
            ]),

        // The programs: `@main`, arguments, wiring.
        program("sightlined", ["Agent"]),
        program("sightline", ["Subcommands"]),
        program("sightline-server", ["ResultStore", "Server", "StorePostgres", "StoreSQLite"]),
        program(
            "virtual-radio",
            ["CommandLine", "Contract", "JSON", "Posix", "Primitives", "VirtualRadio"]),
        // Writes man pages and completions. It is not installed.
        program(
            "manual",
            [
                "Agent", "CommandLine", "Contract", "Documentation", "Posix", "Server",
                "Subcommands",
            ]),

        // A measurement's server of event streams.
        .executableTarget(
            name: "http-bench", dependencies: ["HTTP", "Posix", "Primitives"],
            path: "Tests/HTTPBench"),

        // Asks the room of ranging for places, for packaging/measure.
        .executableTarget(
            name: "ranging-bench", dependencies: ["Ranging"],
            path: "Tests/RangingBench"),

        // What tests share.
        .target(name: "CAllocations", path: "Tests/CAllocations"),
        .target(name: "CTimeZone", path: "Tests/CTimeZone"),
        support("TestSupport", ["CTimeZone", "Posix", "Primitives"]),
        support("TestVectors", ["Beacons", "Primitives"]),
        support(
            "MessageSamples",
            ["Beacons", "Contract", "JSON", "Primitives", "Sightings", "Subscriber"]),
        support("SimulatedRadio", ["HCI", "Primitives", "Radio", "VirtualRadio"]),

        tests("Primitives", ["Beacons"]),
        tests("CommandLine"),
        tests("JSON", ["TestVectors"]),
        tests("Posix", ["Primitives", "TestSupport", "TestVectors"]),
        tests("HTTP", ["JSON", "Posix", "Primitives", "TestSupport"]),
        tests("Beacons", ["TestVectors"]),
        tests("Sightings", ["Beacons", "Primitives", "TestVectors"]),
        tests(
            "Contract",
            [
                "Beacons", "HomeAssistant", "JSON", "Primitives", "Prometheus", "Results",
                "Sightings", "TestSupport", "TestVectors",
            ]),
        tests(
            "Configuration",
            ["Beacons", "Contract", "JSON", "Posix", "TestVectors"]),
        tests("ServerConfiguration", ["Configuration"]),
        tests("Facts", ["Primitives", "Sightings"]),
        tests(
            "Inventory",
            [
                "Beacons", "Contract", "Facts", "JSON", "Primitives", "Results", "Sightings",
                "TestSupport",
            ]),
        tests(
            "Queueing",
            [
                "Beacons", "Contract", "Facts", "JSON", "Primitives", "Results", "Sightings",
                "TestSupport",
            ]),
        tests(
            "Regions",
            ["Beacons", "Contract", "Facts", "JSON", "Primitives", "Queueing", "TestSupport"]),
        tests(
            "Ranging", ["Facts", "JSON", "Primitives", "Queueing", "Sightings", "TestSupport"]),
        tests(
            "HomeAssistant",
            ["Beacons", "Contract", "JSON", "Sightings", "TestSupport", "TestVectors"]),
        tests("Documentation", ["CommandLine"]),
        tests("HCI", ["Beacons", "Primitives", "TestVectors"]),
        tests("Radio", ["Beacons", "HCI", "Posix", "Primitives", "TestVectors", "VirtualRadio"]),
        tests(
            "VirtualRadio",
            [
                "Beacons", "Contract", "HCI", "JSON", "Posix", "Primitives", "TestSupport",
                "virtual-radio",
            ]),
        tests("MQTT", ["Posix", "Primitives", "TestSupport"]),
        tests("Session", ["Configuration", "Contract", "MQTT", "Posix", "Primitives"]),
        tests(
            "Outbox",
            ["Beacons", "Primitives", "SQLite", "Sightings", "TestSupport", "TestVectors"]),
        // Commits until it is killed; measures a day.
        .executableTarget(
            name: "store-writer",
            dependencies: [
                "Facts", "Posix", "Primitives", "Queueing", "ResultStore", "StoreSQLite",
            ],
            path: "Tests/StoreWriter"),
        tests(
            nil, "StoreTests",
            [
                "Facts", "Posix", "PostgreSQL", "Primitives", "Queueing", "ResultStore", "SQL",
                "SQLite", "Sightings", "StorePostgres", "StoreSQLite", "TestSupport",
                "TestVectors", "store-writer",
            ]),
        tests(
            "Agent",
            [
                "Beacons", "CAllocations", "Configuration", "Contract", "HCI", "HomeAssistant",
                "JSON", "Logging", "MQTT", "Outbox", "Posix", "Primitives", "Prometheus", "Radio",
                "Session", "Sightings", "SimulatedRadio", "TestSupport", "TestVectors",
                "VirtualRadio",
            ]),
        tests("Logging", ["Configuration", "Posix"]),
        tests(
            "Server",
            [
                "Beacons", "Configuration", "Contract", "Diagnosis", "Facts", "HTTP",
                "HomeAssistant", "Inventory", "JSON", "Logging", "MQTT", "Posix", "MessageSamples",
                "Primitives", "Prometheus",
                "Queueing", "Ranging", "Regions", "ResultStore", "Results", "SQLite",
                "ServerConfiguration",
                "Sightings", "StoreSQLite", "Subscriber", "TestSupport",
            ]),
        tests("Subscriber", ["Contract", "MessageSamples", "Primitives", "Sightings"]),
        tests("Terminal", ["CommandLine", "MQTT", "Primitives", "Subscriber", "TestSupport"]),
        tests(
            "Subcommands",
            [
                "Beacons", "CommandLine", "Contract", "Diagnosis", "JSON", "MQTT", "MessageSamples",
                "Posix", "Primitives", "Radio", "Results", "Sightings", "Subscriber", "Terminal",
                "TestSupport", "sightline", "sightlined", "virtual-radio",
            ]),
        // Of several rooms: bytes from outside, and the programs against a real mosquitto.
        tests(
            nil, "FuzzTests", ["Agent", "Beacons", "HCI", "Primitives", "Sightings", "TestVectors"]),
        tests(
            nil, "BrokerTests",
            [
                "Agent", "Beacons", "Configuration", "Contract", "HCI", "HomeAssistant", "Logging",
                "MQTT", "Outbox", "Posix", "Primitives", "Radio", "ServerConfiguration",
                "Session", "Sightings", "SimulatedRadio", "Subscriber", "TestSupport",
                "TestVectors", "VirtualRadio",
                "sightline", "sightline-server", "sightlined", "virtual-radio",
            ]),
    ]
)

// packaging/test builds few rooms with the sanitizers: the targets named here, and what they depend on.
if let wanted = Context.environment["SIGHTLINE_TARGETS"], !wanted.isEmpty {
    var kept: Set<String> = []
    var next = Set(wanted.split(separator: " ").map(String.init))
    while !next.isEmpty {
        kept.formUnion(next)
        let imports = package.targets.filter { next.contains($0.name) }.flatMap(\.dependencies)
        let names = imports.compactMap { dependency in
            if case .byNameItem(let name, _) = dependency { name } else { nil }
        }
        next = Set(names).subtracting(kept)
    }
    let unknown = kept.subtracting(package.targets.map(\.name))
    precondition(unknown.isEmpty, "SIGHTLINE_TARGETS: no target \(unknown.sorted())")
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { !kept.contains($0.name) }
}

func library(_ name: String, _ package: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Sources/C/\(name)", providers: package.map { [.apt([$0])] })
}

func room(
    _ group: String?, _ name: String, _ imports: [Target.Dependency] = [],
    exclude: [String] = [], libraries: [String] = []
) -> Target {
    .target(
        name: name, dependencies: imports,
        path: "Sources/" + (group.map { $0 + "/" } ?? "") + name, exclude: exclude,
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

func program(_ name: String, _ imports: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: imports, path: "Sources/Programs/\(name)")
}

func support(_ name: String, _ imports: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: imports, path: "Tests/\(name)")
}

/// The tests of one room, or, without a room, those named `name`.
func tests(
    _ room: String?, _ name: String? = nil, _ imports: [Target.Dependency] = []
) -> Target {
    let own: [Target.Dependency] = room.map { [.byName(name: $0)] } ?? []
    let name = name ?? "\(room ?? "")Tests"
    return .testTarget(name: name, dependencies: own + imports, path: "Tests/\(name)")
}

func tests(_ room: String, _ imports: [Target.Dependency] = []) -> Target {
    tests(room, nil, imports)
}
