import JSON
import Posix
import Primitives
import ResultStore
import ServerConfiguration

/// What the state directory of a server holds, and whether an identity is in it.
struct PrivacyReport {
    private let folder: String
    private let inventory: StoreInventory
    private let configuration: ServerConfiguration
    private let evidence: String
    private let keys: [String]
    private let overdueKeys: Set<String>
    private let sought: SoughtBeacons
    private let identities: PrivacyScan.Result
    private let pseudonyms: PrivacyScan.Result

    /// - Throws: the store can't be read.
    init(
        _ beacons: SoughtBeacons, _ configuration: ServerConfiguration, folder: String,
        store: String, of engine: any StoreEngine, journal: String?,
        keys: (disk: String, refuge: String?)
    ) throws(StoreFailure) {
        self.folder = folder
        self.configuration = configuration
        evidence = RetentionRule.evidence.text(configuration)
        inventory = try engine.inventory(of: store)
        let folders = [keys.disk, keys.refuge].compactMap(\.self).map { KeyFolder(path: $0) }
        let files = folders.flatMap(\.files)
        self.keys = files
        overdueKeys = Set(NeededKeys.overdue(files, at: .now))
        sought = beacons
        let search = { (needles: [PrivacyScan.Needle]) in
            PrivacyScan.run(
                folders: [folder, keys.refuge].compactMap(\.self), store: store, of: engine,
                journal: journal, for: needles)
        }
        identities = search(beacons.identities)
        pseudonyms = search(beacons.pseudonyms(folders.flatMap(\.keys)))
    }

    /// Whether everything was read, and no identity was found; `nil` if none was sought.
    var isProved: Bool? {
        sought.count == 0 ? nil : identities.matches.isEmpty && isReadWhole
    }

    /// Whether each file could be read.
    var isReadWhole: Bool { identities.unread.isEmpty }

    /// The lines for people.
    var lines: [String] {
        var lines = ["\(folder), privacy: \(configuration.privacy.rawValue)"]
        for table in inventory.tables {
            let text = count(table.rows, "row") + ": \(content(table))"
            lines.append(row("table \(table.name)", text) + times(table) + "; kept: \(kept(table))")
        }
        lines += keys.map { key in
            let rule =
                overdueKeys.contains(key)
                ? "its day is over: a server that runs destroys it, or reports why it can't"
                : "destroyed when its day is closed, after 04:00"
            return row("key", "\(key); \(rule)")
        }
        lines += inventory.files.map { file in
            let rule = file.isSetAside ? "; set aside with its rows, kept: \(evidence)" : ""
            return row("file", "\(file.path), \(file.bytes.grouped) bytes\(rule)")
        }
        lines += pseudonymsByFile
        lines += identities.unread.map { row("unread", $0) }
        lines += identities.matches.map { row("FOUND", "\($0.needle): \($0.place)") }
        return lines + [conclusion]
    }

    /// Each pseudonym with the number of its places in a table or a file.
    private var pseudonymsByFile: [String] {
        let places = pseudonyms.matches.map { match in
            // A table and a row, or a file and an offset.
            "\(match.needle): \(match.place.prefix(upTo: match.place.lastIndex(of: ",") ?? match.place.endIndex))"
        }
        let counts = places.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }
            .map { row("pseudonym", "\($0.key), \(count($0.value, "place")); kept: \(evidence)") }
    }

    private func row(_ title: String, _ text: String) -> String {
        title.padded(20) + text.printable(limit: 600)
    }

    private func content(_ table: StoreInventory.Table) -> String {
        table.content ?? "not known to this version"
    }

    private func kept(_ table: StoreInventory.Table) -> String {
        table.kept?.text(configuration) ?? "unknown"
    }

    private func times(_ table: StoreInventory.Table) -> String {
        guard let times = table.times else { return "" }
        let stamps = [times.lowerBound, times.upperBound].map { UTCTime($0).stamp }
        return ", \(stamps[0]) to \(stamps[1])"
    }

    private var conclusion: String {
        let searched =
            "\(sought.description), in \(count(identities.files, "file")) "
            + "(\(identities.bytes.grouped) bytes) and \(count(identities.rows, "row"))"
        guard let isProved else {
            return
                "nothing is proved: searched for no identity; --beacon UUID/MAJOR/MINOR names one"
        }
        if isProved { return "not found: \(searched)" }
        return identities.matches.isEmpty
            ? "not proved, since some files can't be read: \(searched)"
            : "found: searched for \(searched)"
    }

    /// The object for programs.
    var json: JSON {
        [
            "stateDirectory": .string(folder), "privacy": .string(configuration.privacy.rawValue),
            "tables": .array(inventory.tables.map(json)), "keys": .array(keys.map { .string($0) }),
            "files": .array(
                inventory.files.map {
                    [
                        "path": .string($0.path), "bytes": .integer($0.bytes),
                        "kept": $0.isSetAside ? .string(evidence) : .null,
                    ]
                }),
            "search": [
                "identities": .integer(Int64(sought.count)),
                "files": .integer(Int64(identities.files)),
                "bytes": .integer(identities.bytes), "rows": .integer(Int64(identities.rows)),
                "found": .array(identities.matches.map(json)),
                "pseudonyms": .array(pseudonyms.matches.map(json)),
                "unread": .array(identities.unread.map { .string($0) }),
            ],
            "proved": isProved.map { .bool($0) } ?? .null,
        ]
    }

    private func json(_ table: StoreInventory.Table) -> JSON {
        [
            "table": .string(table.name), "content": .string(content(table)),
            "rows": .integer(Int64(table.rows)),
            "oldest": table.times.map { .integer($0.lowerBound.milliseconds) } ?? .null,
            "newest": table.times.map { .integer($0.upperBound.milliseconds) } ?? .null,
            "kept": .string(kept(table)),
        ]
    }

    private func json(_ match: PrivacyScan.Match) -> JSON {
        ["form": .string(match.needle), "place": .string(match.place)]
    }
}

extension RetentionRule {
    /// How long rows are kept, in words for people.
    func text(_ configuration: ServerConfiguration) -> String {
        switch self {
        case .always: "always"
        case .evidence:
            configuration.privacy == .day
                ? "24 hours, and until its day is closed" : "until its day is closed, after 04:00"
        case .sessions: "two days at most after their last windows"
        case .levels: "two days"
        case .inventory: count(Int(StoreRetention.inventory.wholeSeconds / 86_400), "day")
        case .minutes: count(configuration.retention.minutesDays, "day")
        case .hours, .days: count(configuration.retention.hoursDays, "day")
        }
    }
}
