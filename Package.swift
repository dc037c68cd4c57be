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
        library("CSQLite", "libsqlite3-dev"),
        library("CSSL", "libssl-dev"),
        library("CMicroHTTP", "libmicrohttpd-dev"),
        .target(
            name: "CBuild", path: "Sources/C/CBuild",
            cSettings: [.define("SIGHTLINE_COMMIT", to: commit)]),

        room("Base", "Primitives"),
        room("Base", "CommandLine", ["Primitives"]),
        room("Base", "JSON", ["Primitives"]),
        room("Base", "Posix", ["CLinux", "Primitives"]),
        room("Base", "SQLite", ["CSQLite", "Posix"]),
        room(
            "Base", "HTTP", ["CMicroHTTP", "JSON", "Posix", "Primitives"],
            exclude: ["README.md"]),

        room("Domain", "Beacons", ["Primitives"]),
        room("Domain", "Sightings", ["Beacons", "Primitives"], libraries: ["m"]),
        room("Domain", "Contract", ["Beacons", "CBuild", "JSON", "Primitives", "Sightings"]),
        // How a kind of result is declared, and what derives from its declaration.
        room("Measure", "Results", ["Contract", "JSON", "Primitives"]),
        room(
            "Domain", "Queueing",
            ["Beacons", "Contract", "JSON", "Primitives", "Results", "Sightings"],
            exclude: ["README.md"]),
        room(
            "Domain", "Configuration",
            ["Beacons", "Contract", "HomeAssistant", "JSON", "MQTT", "Posix"]),
        room(
            "Domain", "ServerConfiguration",
            [
                "Configuration", "Contract", "HomeAssistant", "JSON", "Posix", "Primitives",
                "Queueing", "Results",
            ]),

        room(
            "Integrations", "HomeAssistant",
            ["Beacons", "Contract", "JSON", "Primitives", "Results", "Sightings"]),
        room("Integrations", "Prometheus", ["Contract", "JSON", "Results", "Sightings"]),

        room("Bluetooth", "HCI", ["Beacons", "Primitives"]),
        room("Bluetooth", "Radio", ["Beacons", "CBlueZ", "HCI", "Posix", "Primitives"]),
        room(
            "Bluetooth", "VirtualRadio",
            ["Beacons", "Contract", "HCI", "JSON", "Posix", "Primitives"]),

        room("Messaging", "MQTT", ["CMosquitto", "CSSL", "Posix", "Primitives"]),
        room(
            "Messaging", "Subscriber",
            ["Contract", "JSON", "MQTT", "Posix", "Primitives", "Sightings"]),
        room(
            "Messaging", "Outbox", ["Beacons", "Posix", "Primitives", "SQLite", "Sightings"],
            exclude: ["README.md"]),

        room(nil, "Logging", ["Configuration", "JSON", "Posix"]),
        room(
            nil, "Store", ["JSON", "Posix", "Primitives", "Queueing", "SQLite", "Sightings"],
            exclude: ["README.md"]),

        room(
            nil, "Agent",
            [
                "Beacons", "CommandLine", "Configuration", "Contract", "HCI", "HomeAssistant",
                "JSON", "Logging", "MQTT", "Outbox", "Posix", "Primitives", "Prometheus", "Radio",
                "Sightings", "VirtualRadio",
            ]),
        room(
            nil, "Server",
            [
                "Beacons", "CommandLine", "CommandSupport", "Configuration", "Contract",
                "Diagnosis",
                "HTTP", "HomeAssistant", "JSON", "Logging", "MQTT", "Posix", "Primitives",
                "Prometheus", "Queueing", "Results", "ServerConfiguration", "Sightings", "Store", "Subscriber",
            ], exclude: ["Page"]),
        // The subcommands of `sightline`, one room each, and what they share.
        room(
            "Commands", "CommandSupport",
            [
                "CommandLine", "Configuration", "Contract", "JSON", "MQTT", "Posix", "Primitives",
                "Subscriber",
            ]),
        room(
            "Commands", "Status",
            [
                "CommandLine", "CommandSupport", "Contract", "JSON", "MQTT", "Posix", "Primitives",
                "Sightings", "Subscriber",
            ]),
        room(
            "Commands", "Watch",
            [
                "Beacons", "CommandLine", "CommandSupport", "Contract", "JSON", "MQTT", "Posix",
                "Primitives", "Sightings", "Subscriber",
            ]),
        room(
            "Commands", "Tune",
            [
                "Beacons", "CommandLine", "CommandSupport", "Configuration", "Contract", "JSON",
                "MQTT", "Posix",
                "Primitives", "Subscriber",
            ]),
        room(
            "Commands", "Decode",
            [
                "Beacons", "CommandLine", "CommandSupport", "HCI", "JSON", "Posix", "Primitives",
                "Radio",
            ]),
        // Checks of a machine and of a broker, for `sightline doctor` and `sightline-server doctor`.
        room(
            "Commands", "Diagnosis",
            ["Configuration", "Contract", "JSON", "MQTT", "Posix", "Primitives"]),
        room(
            "Commands", "Doctor",
            [
                "Beacons", "CommandLine", "CommandSupport", "Configuration", "Contract",
                "Diagnosis", "HCI", "HomeAssistant", "MQTT", "Posix", "Primitives", "Radio",
            ]),
        room(
            "Commands", "Queue",
            [
                "Beacons", "CommandLine", "CommandSupport", "Configuration", "Contract", "JSON",
                "MQTT", "Posix", "Primitives", "Queueing", "Results", "ServerConfiguration",
                "Sightings", "Subscriber",
            ]),
        room(
            "Commands", "SightlineTool",
            [
                "CommandLine", "CommandSupport", "Contract", "Decode", "Doctor", "MQTT", "Posix",
                "Primitives", "Queue", "Status", "Tune", "Watch",
            ]),

        // What is generated from declarations: man pages, completions, schemas, the example.
        room(
            nil, "Documentation",
            [
                "Beacons", "CommandLine", "CommandSupport", "Configuration", "Contract", "JSON",
                "Queueing", "Results", "ServerConfiguration",
            ]),

        // The programs: `@main`, arguments, wiring.
        program("sightlined", ["Agent"]),
        program("sightline", ["SightlineTool"]),
        program("sightline-server", ["Server"]),
        program(
            "virtual-radio",
            ["CommandLine", "Contract", "JSON", "Posix", "Primitives", "VirtualRadio"]),
        // Writes man pages and completions. It is not installed.
        program(
            "manual",
            [
                "Agent", "CommandLine", "Contract", "Documentation", "Posix", "Server",
                "SightlineTool",
            ]),

        // A measurement's server of event streams.
        .executableTarget(
            name: "http-bench", dependencies: ["HTTP", "Posix", "Primitives"],
            path: "Tests/HTTPBench"),

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
                "Sightings", "TestVectors",
            ]),
        tests(
            "Configuration",
            ["Beacons", "Contract", "JSON", "MQTT", "Posix", "TestVectors"]),
        tests("ServerConfiguration", ["Configuration"]),
        tests("Queueing", ["Beacons", "Contract", "JSON", "Primitives", "Results", "Sightings"]),
        tests("HomeAssistant", ["Beacons", "Contract", "JSON", "Sightings", "TestVectors"]),
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
        tests(
            "Outbox",
            ["Beacons", "Primitives", "SQLite", "Sightings", "TestSupport", "TestVectors"]),
        // Commits until it is killed; measures a day.
        .executableTarget(
            name: "store-writer", dependencies: ["Posix", "Primitives", "Queueing", "Store"],
            path: "Tests/StoreWriter"),
        tests(
            "Store",
            [
                "Posix", "Primitives", "Queueing", "SQLite", "Sightings", "TestSupport",
                "TestVectors", "store-writer",
            ]),
        tests(
            "Agent",
            [
                "Beacons", "CAllocations", "Configuration", "Contract", "HCI", "HomeAssistant",
                "JSON", "Logging", "MQTT", "Outbox", "Posix", "Primitives", "Prometheus", "Radio",
                "Sightings", "SimulatedRadio", "TestSupport", "TestVectors", "VirtualRadio",
            ]),
        tests("Logging", ["Configuration", "Posix"]),
        tests(
            "Server",
            [
                "Beacons", "Contract", "Diagnosis", "HTTP", "HomeAssistant", "JSON", "Logging", "MQTT", "Posix",
                "MessageSamples", "Primitives", "Prometheus", "Queueing", "Results", "SQLite", "ServerConfiguration",
                "Sightings", "Store", "Subscriber", "TestSupport",
            ]),
        tests("Subscriber", ["Contract", "MessageSamples", "Primitives", "Sightings"]),
        tests(
            "CommandSupport",
            ["CommandLine", "MQTT", "Posix", "Primitives", "Subscriber", "TestSupport"]),
        tests(
            "Status",
            [
                "CommandLine", "CommandSupport", "Contract", "JSON", "MessageSamples", "Posix",
                "Primitives", "Sightings", "Subscriber", "TestSupport", "sightline",
            ]),
        tests(
            "Watch",
            [
                "CommandLine", "CommandSupport", "Contract", "JSON", "MQTT", "MessageSamples",
                "Posix", "Primitives", "Sightings", "Subscriber", "TestSupport", "sightline",
            ]),
        tests(
            "Tune",
            [
                "CommandLine", "Contract", "JSON", "MQTT", "MessageSamples", "Posix", "Primitives",
                "Subscriber", "TestSupport", "sightline",
            ]),
        tests(
            "Decode",
            ["Beacons", "CommandLine", "CommandSupport", "Primitives", "TestSupport"]),
        tests(
            "Queue",
            [
                "CommandLine", "CommandSupport", "Contract", "JSON", "MQTT", "Posix", "Primitives",
                "Queueing", "Results", "TestSupport", "sightline", "sightlined", "virtual-radio",
            ]),
        tests(
            "Doctor",
            [
                "Beacons", "Contract", "Diagnosis", "MQTT", "Posix", "Primitives", "Radio",
                "TestSupport",
            ]),
        tests("SightlineTool", ["CommandLine", "Contract", "Posix", "TestSupport", "sightline"]),
        // Of several rooms: bytes from outside, and the programs against a real mosquitto.
        tests(
            nil, "FuzzTests", ["Agent", "HCI", "Primitives", "Sightings", "TestVectors"]),
        tests(
            nil, "BrokerTests",
            [
                "Agent", "Beacons", "Configuration", "Contract", "HCI", "HomeAssistant", "Logging",
                "MQTT", "Outbox", "Posix", "Primitives", "Radio", "ServerConfiguration",
                "Sightings",
                "SimulatedRadio", "Subscriber", "TestSupport", "TestVectors", "VirtualRadio",
                "sightline", "sightline-server", "sightlined", "virtual-radio",
            ]),
    ]
)

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
