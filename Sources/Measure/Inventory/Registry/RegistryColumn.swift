/// A column of beacons.csv: its name, and what its cells are.
package struct RegistryColumn: Sendable {
    package let name: String
    package let help: String
    let isRequired: Bool
    /// Words of other tools for the same, without blanks and signs, in lower case.
    let synonyms: [String]

    private init(
        _ name: String, isRequired: Bool = false, synonyms: [String] = [], _ help: String
    ) {
        self.name = name
        self.help = help
        self.isRequired = isRequired
        self.synonyms = synonyms
    }

    /// All columns in the order of the file.
    ///
    /// The synonyms are the members of the vendors' interfaces: `proximity`, `alias` and `interval` of Kontakt.io's devices,
    /// `proximity_uuid` and `name` of Estimote's.
    package static let all = [
        RegistryColumn(
            "uuid", isRequired: true,
            synonyms: ["proximityuuid", "proximity", "ibeaconuuid", "beaconuuid"], "the UUID"),
        RegistryColumn(
            "major", isRequired: true, synonyms: ["ibeaconmajor"], "the major number, 0 to 65535"),
        RegistryColumn(
            "minor", isRequired: true, synonyms: ["ibeaconminor"],
            "the minor number, 0 to 65535; of visitors and staff also a range, 1-200, or * for all others"
        ),
        RegistryColumn(
            "kind", isRequired: true,
            RegisteredBeacon.Kind.allCases.map(\.rawValue).joined(separator: ", ")),
        RegistryColumn(
            "name", synonyms: ["alias", "devicename", "beaconname"], "a name for people"),
        RegistryColumn("zone", synonyms: ["venue", "venuename"], "the zone in which it is"),
        RegistryColumn("x", "metres to the right, with y"),
        RegistryColumn("y", "metres upwards on the plan, with x"),
        RegistryColumn("z", "metres above the floor"),
        RegistryColumn(
            "intervalMs", synonyms: ["interval", "advertisinginterval", "intervalms"],
            "the time between two advertisements, 20 to 10240 ms"),
        RegistryColumn(
            "measuredPower", synonyms: ["measuredpower", "rssi1m"],
            "the RSSI at one metre, -127 to 20 dBm"),
        RegistryColumn("telemetry", "whether it sends Eddystone-TLM: yes or no"),
        RegistryColumn("since", "the first date on which the row holds: 2026-11-28"),
        RegistryColumn("until", "the last date on which it holds"),
    ]

    /// The column that another tool's header means; `nil` for an unknown one.
    static func meant(by header: String) -> RegistryColumn? {
        let word = header.lowercased().filter { $0.isLetter || $0.isNumber }
        return all.first { $0.name.lowercased() == word || $0.synonyms.contains(word) }
    }
}
