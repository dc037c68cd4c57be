import Beacons
import CommandLine
import Contract
import Inventory
import JSON
import MQTT
import Posix
import Primitives
import Session
import Subscriber
import Terminal

/// `sightline beacons`: the registry of the beacons, and its comparison with what gateways hear.
struct BeaconsCommand: Subcommand {
    enum Action: String, CaseIterable {
        case list
        case lint
        case diff
        case `import`
        case plan
    }

    static let command = Command(
        name: "sightline beacons",
        summary: "checks the registry of the beacons, and compares it with what gateways hear",
        options: [
            Option("json", help: "write objects, one per line"),
            Option(
                "kind", value: "KIND",
                help: "list and import: \(kindWords.joined(separator: ", ")); import takes fixed"
                    + " without it", completion: .words(kindWords)),
            Option("zone", value: "ZONE", help: "list: only the beacons of this zone"),
            Option("all", help: "diff: also the beacons that were heard"),
            Option(
                "input", value: "FILE",
                help: "diff and import: recorded messages, one a line, instead of a broker's; - is"
                    + " standard input", isRepeatable: true),
            Option("seconds", value: "N", help: "diff: how long to listen; the default is 60"),
            Option("uuid", value: "UUID", help: "import --input: only beacons with this UUID"),
            Option(
                "site", value: "SITE",
                help: "diff and import: only the gateways of this site; plan: the site of the"
                    + " gateways"),
        ] + BrokerOptions.place + BrokerOptions.credentials,
        operands: [
            Operand(
                "ACTION", help: Action.allCases.map(\.rawValue).joined(separator: ", "),
                completion: .words(Action.allCases.map(\.rawValue))),
            Operand(
                "FILE",
                help: "the registry, a CSV file with a header row; for import, a vendor's export (-"
                    + " is standard input)", isRequired: false, completion: .file),
        ], manual: manual)

    private static let kindWords = RegisteredBeacon.Kind.allCases.map(\.rawValue)

    private let action: Action
    private let path: String
    let invocation: Invocation
    private let kind: RegisteredBeacon.Kind?
    private let uuid: ProximityUUID?
    private let seconds: Int64

    /// The number 3: the comparison is done, and a beacon is missing.
    private static let missing = ExitCode.partlyDone

    init(_ invocation: Invocation) throws(UsageError) {
        let word = invocation.operands.first ?? ""
        guard let action = Action(rawValue: word) else {
            let words = Action.allCases.map(\.rawValue)
            let near = NearestWord.to(word, among: words)
            throw UsageError(
                "“\(word.printable())” is no action; "
                    + (near.map { "did you mean \($0)?" }
                        ?? "expected one of \(words.joined(separator: ", "))"))
        }
        self.action = action
        self.invocation = invocation
        path = invocation.operands.dropFirst().first ?? ""
        let isImportOfHeard = action == .import && invocation.has("input")
        guard path.isEmpty == isImportOfHeard else {
            throw UsageError(
                isImportOfHeard
                    ? "import takes either a FILE or --input" : "FILE is missing: \(word) FILE")
        }
        if let word = invocation["kind"] {
            guard let kind = RegisteredBeacon.Kind(rawValue: word) else {
                throw UsageError(
                    "--kind must be one of \(Self.kindWords.joined(separator: ", ")), not"
                        + " “\(word.printable())”")
            }
            self.kind = kind
        } else {
            kind = nil
        }
        if let text = invocation["uuid"] {
            guard let uuid = ProximityUUID(text) else {
                throw UsageError("--uuid must be a UUID, not “\(text.printable())”")
            }
            self.uuid = uuid
        } else {
            uuid = nil
        }
        guard let seconds = Int64(invocation["seconds"] ?? "60"), (1...86_400).contains(seconds)
        else { throw UsageError("--seconds must be a number from 1 to 86400") }
        self.seconds = seconds
    }

    func run(to output: inout StandardOutput) -> ExitCode {
        do throws(Unusable) {
            if action == .import { return try importBeacons(to: &output) }
            let registry = Registry(parsing: try contents())
            guard action != .lint else { return lint(registry, to: &output) }
            for fault in registry.faults {
                StandardOutput.report("\(name):\(fault.line): \(fault.sentence)")
            }
            guard registry.faults.isEmpty else { return .wrongUse }
            switch action {
            case .list: return list(registry, to: &output)
            case .plan: return plan(registry, to: &output)
            case .diff, .lint, .import: return try compare(registry, to: &output)
            }
        } catch {
            if !error.sentence.isEmpty { StandardOutput.report(error.sentence) }
            return error.status
        }
    }

    /// Why the command ends early.
    private struct Unusable: Error {
        let sentence: String
        var status = ExitCode.wrongUse
    }

    /// The registry's file, for messages.
    var name: String {
        path == PlanFile.standardInput ? "standard input" : path.printable(limit: 400)
    }

    private func contents() throws(Unusable) -> [UInt8] {
        do throws(TextFile.Unreadable) {
            return try TextFile.contents(
                of: TextFile.open(path, standardInput: PlanFile.standardInput),
                maxBytes: Registry.maxBytes)
        } catch {
            throw Unusable(sentence: "\(name): can't be read: \(error)")
        }
    }
}

// MARK: - The registry alone

extension BeaconsCommand {
    private func lint(_ registry: Registry, to output: inout StandardOutput) -> ExitCode {
        for fault in registry.faults {
            output.write(
                invocation.has("json")
                    ? fault.json.text + "\n" : "\(name):\(fault.line): \(fault.sentence)\n")
        }
        guard registry.faults.isEmpty else { return .failed }
        if !invocation.has("json") {
            output.write("\(name): \(count(registry.beacons.count, "row")), no fault\n")
        }
        if !registry.otherColumns.isEmpty {
            let columns = registry.otherColumns.map { $0.printable() }.joined(separator: ", ")
            StandardOutput.report("\(name): columns without a meaning here are kept: \(columns)")
        }
        return .done
    }

    private func list(_ registry: Registry, to output: inout StandardOutput) -> ExitCode {
        let zone = invocation["zone"]
        let beacons = registry.beacons.filter {
            (kind == nil || $0.kind == kind) && (zone == nil || $0.zone == zone)
        }
        if invocation.has("json") {
            for beacon in beacons { output.write(beacon.json.text + "\n") }
            return .done
        }
        var table = TextTable([
            .left("BEACON"), .left("KIND"), .left("NAME"), .left("ZONE"), .right("X"), .right("Y"),
            .right("INTERVAL"),
        ])
        table.rows = beacons.map { beacon in
            [
                beacon.label, beacon.kind.rawValue, (beacon.name ?? "").printable(),
                (beacon.zone ?? "").printable(), beacon.place.map { "\($0.x)" } ?? "",
                beacon.place.map { "\($0.y)" } ?? "", beacon.intervalMs.map { "\($0) ms" } ?? "",
            ]
        }
        output.write(table.lines.map { $0 + "\n" }.joined())
        return .done
    }

    private func importBeacons(to output: inout StandardOutput) throws(Unusable) -> ExitCode {
        let kind = kind ?? .fixed
        guard path.isEmpty else {
            do throws(Registry.Fault) {
                let imported = try RegistryImport(parsing: try bytes(), kind: kind)
                output.write(imported.text)
                for fault in imported.faults {
                    StandardOutput.report("\(name):\(fault.line): \(fault.sentence)")
                }
                return .done
            } catch {
                throw Unusable(sentence: "\(name):\(error.line): \(error.sentence)")
            }
        }
        output.write(RegistryText.registry(of: try recorded(), kind: kind, uuid: uuid))
        return .done
    }

    /// The contents; a file that can't be read is a fault of its first line.
    private func bytes() throws(Registry.Fault) -> [UInt8] {
        do throws(Unusable) {
            return try contents()
        } catch {
            throw Registry.Fault(line: 1, sentence: error.sentence)
        }
    }
}

// MARK: - What gateways hear

extension BeaconsCommand {
    private func recorded() throws(Unusable) -> HeardBeacons {
        var recording = HeardRecording(site: invocation["site"])
        for path in invocation.all("input") {
            do throws(TextFile.Unreadable) {
                try recording.read(path)
            } catch {
                let name = path == "-" ? "standard input" : path.printable(limit: 400)
                throw Unusable(sentence: "\(name): can't be read: \(error)", status: .failed)
            }
        }
        if recording.invalid > 0 {
            StandardOutput.report(
                "\(count(recording.invalid, "line")) of the input left out: no message")
        }
        return recording.heard
    }

    private func heard(to output: inout StandardOutput) throws(Unusable) -> HeardBeacons {
        if invocation.has("input") { return try recorded() }
        let options: BrokerOptions
        let site: String?
        do throws(UsageError) {
            options = try BrokerOptions(invocation)
            site = try options.site(invocation)
        } catch {
            throw Unusable(sentence: error.description)
        }
        let settings: ConnectionSettings
        do throws(BrokerOptions.Unusable) {
            settings = try options.settings(maximumPayload: SightingsMessage.maxBytes)
        } catch {
            throw Unusable(sentence: error.message)
        }
        var session = HearingSession(root: options.root, site: site, seconds: seconds)
        var loop = TerminalLoop(
            BrokerSession(.init(settings, filters: session.filters, quality: .atMostOnce)),
            usesScreen: false, advice: options.advice)
        let status = loop.run(&session, to: &output)
        guard status == .done else { throw Unusable(sentence: "", status: status) }
        return session.heard
    }

    private func compare(
        _ registry: Registry, to output: inout StandardOutput
    ) throws(Unusable) -> ExitCode {
        let heard = try heard(to: &output)
        guard let latest = heard.latest else {
            throw Unusable(
                sentence: "no gateway has sent a message of sightings", status: .failed)
        }
        let comparison = RegistryComparison(registry, heard, on: UTCTime(latest).date)
        if invocation.has("json") {
            for row in comparison.rows { output.write(row.json.text + "\n") }
            output.write(comparison.summary.text + "\n")
        } else {
            output.write(comparison.text(showsAll: invocation.has("all")))
        }
        let deaf = heard.deaf.map { $0.printable() }
        if !deaf.isEmpty {
            StandardOutput.report(
                "not listening: \(deaf.joined(separator: ", ")); what is missing may be near them")
        }
        return comparison.count(.missing) > 0 ? Self.missing : .done
    }
}
