// swift-tools-version: 6.0
import PackageDescription

// The rooms, in the order in which an advertisement walks through them; each knows only rooms
// above it in its own list of dependencies. ARCHITECTURE.md is the guided tour.
let package = Package(
    name: "sightline",
    products: [
        .executable(name: "sightlined", targets: ["sightlined"]),
        .executable(name: "sightline", targets: ["sightline"]),
    ],
    targets: [
        // The border to C.
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CBlueZ", providers: [.apt(["libbluetooth-dev"])]),
        .systemLibrary(name: "CMosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "CJSON", providers: [.apt(["libjson-c-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CSSL", providers: [.apt(["libssl-dev"])]),

        // Pure: bytes and values in, values out.
        .target(name: "Beacon"),
        .target(
            name: "Sighting", dependencies: ["Beacon"], linkerSettings: [.linkedLibrary("m")]),
        .target(name: "HCI", dependencies: ["Beacon"]),
        .target(name: "Spelling"),
        .target(name: "Arguments", dependencies: ["Spelling"]),

        // The rim: sockets, files, clocks, threads, C libraries.
        .target(name: "Posix", dependencies: ["CLinux"]),
        .target(name: "Radio", dependencies: ["Beacon", "HCI", "Posix", "CBlueZ"]),
        .target(name: "VirtualRadio", dependencies: ["Beacon", "HCI", "Posix", "Messages"]),
        .target(name: "Messages", dependencies: ["Beacon", "Sighting", "Spelling", "CJSON"]),
        .target(name: "Outbox", dependencies: ["Beacon", "Sighting", "Posix", "CSQLite"]),
        .target(name: "MQTT", dependencies: ["Posix", "CMosquitto", "CSSL"]),
        .target(
            name: "Configuration",
            dependencies: ["Arguments", "Beacon", "MQTT", "Messages", "Posix"]),

        // The programs' insides.
        .target(
            name: "Agent",
            dependencies: [
                "Arguments", "Beacon", "Configuration", "Sighting", "HCI", "Posix", "Radio",
                "VirtualRadio", "Messages", "Outbox", "MQTT",
            ]),
        .target(
            name: "Operator",
            dependencies: [
                "Arguments", "Beacon", "Configuration", "Sighting", "HCI", "Posix", "Radio",
                "Messages", "MQTT", "Spelling",
            ]),

        // The programs: `@main`, arguments, wiring.
        .executableTarget(name: "sightlined", dependencies: ["Agent"]),
        .executableTarget(name: "sightline", dependencies: ["Operator"]),
        // Not shipped: makes man pages and completions.
        .executableTarget(
            name: "manual",
            dependencies: ["Agent", "Arguments", "Configuration", "Messages", "Operator", "Posix"]),
        .executableTarget(
            name: "virtual-radio",
            dependencies: ["Arguments", "Messages", "Posix", "VirtualRadio"]),

        // Tests, each beside the room it tests.
        .target(name: "TestVectors", dependencies: ["Beacon"], path: "Tests/TestVectors"),
        .testTarget(name: "BeaconTests", dependencies: ["Beacon", "TestVectors"]),
        .testTarget(name: "SightingTests", dependencies: ["Beacon", "Sighting", "TestVectors"]),
        .testTarget(name: "HCITests", dependencies: ["Beacon", "HCI", "TestVectors"]),
        .testTarget(
            name: "RadioTests",
            dependencies: ["Beacon", "HCI", "Posix", "Radio", "TestVectors", "VirtualRadio"]),
        .testTarget(
            name: "VirtualRadioTests",
            dependencies: [
                "Beacon", "HCI", "Messages", "Posix", "VirtualRadio", "TestSupport",
                "virtual-radio",
            ]),
        .testTarget(name: "SpellingTests", dependencies: ["Spelling"]),
        .testTarget(name: "ArgumentsTests", dependencies: ["Arguments"]),
        .testTarget(
            name: "MessagesTests",
            dependencies: ["Beacon", "Sighting", "Messages", "TestVectors"]),
        .testTarget(
            name: "ConfigurationTests",
            dependencies: ["Beacon", "Configuration", "MQTT", "Messages", "Posix", "TestVectors"]),
        .target(name: "CAllocations", path: "Tests/CAllocations"),
        .testTarget(
            name: "AgentTests",
            dependencies: [
                "Agent", "Beacon", "CAllocations", "Configuration", "HCI", "MQTT", "Messages",
                "Posix", "Radio",
                "Sighting", "SimulatedRadio", "TestSupport", "TestVectors", "VirtualRadio",
            ]),
        .testTarget(
            name: "FuzzTests",
            dependencies: ["Agent", "Beacon", "HCI", "Sighting", "TestVectors"]),
        .testTarget(name: "PosixTests", dependencies: ["Posix", "TestSupport"]),
        .testTarget(
            name: "OutboxTests",
            dependencies: ["Beacon", "Sighting", "Outbox", "Posix", "TestSupport", "TestVectors"]),
        .testTarget(name: "MQTTTests", dependencies: ["Posix", "MQTT", "TestSupport"]),
        // Against a real mosquitto; skipped where there is none.
        .testTarget(
            name: "BrokerTests",
            dependencies: [
                "Agent", "Beacon", "HCI", "Messages", "MQTT", "Outbox", "Posix", "Radio",
                "Sighting",
                "SimulatedRadio", "TestSupport", "TestVectors", "VirtualRadio", "sightline",
                "sightlined", "virtual-radio",
            ]),
        .testTarget(
            name: "OperatorTests",
            dependencies: [
                "Arguments", "Operator", "Beacon", "Configuration", "HCI", "Messages", "MQTT",
                "Posix",
                "Radio", "Sighting", "TestSupport", "sightline",
            ]),
        .target(
            name: "SimulatedRadio", dependencies: ["Beacon", "HCI", "Radio", "VirtualRadio"],
            path: "Tests/SimulatedRadio"),
        .target(name: "TestSupport", dependencies: ["Posix"], path: "Tests/TestSupport"),
    ]
)
