import Beacons
import CommandLine
import Inventory
import Posix
import Primitives
import Results
import Terminal

/// `sightline beacons`: the states of the beacons by servers, their registry, and its comparison with what gateways hear.
struct BeaconsCommand: Subcommand {
    enum Action: String, CaseIterable {
        case list
        case lint
        case diff
        case accept
        case retire
        case `import`
        case plan
        case label

        /// Whether it changes one beacon of the file.
        var isEdit: Bool { self == .accept || self == .retire }
    }

    static let command = Command(
        name: "sightline beacons",
        summary: "shows the states of registered beacons, and checks or changes their registry",
        options: [
            Option("work", help: "without ACTION: what to do, the most urgent first"),
            Option("follow", help: "without ACTION: write each event until a signal"),
            Option("json", help: "write objects, one per line"),
            Option(
                "kind", value: "KIND",
                help: "list and import: \(kindWords.joined(separator: ", ")); import takes fixed"
                    + " without it", completion: .words(kindWords)),
            Option(
                "zone", value: "ZONE",
                help: "list: only the beacons of this zone; accept: the new zone"),
            Option(
                "place", value: "X,Y[,Z]",
                help: "accept: the new place, in metres; label: where in the zone the beacon stands"
            ), Option("remove", value: "ID", help: "label: remove this label"),
            Option(
                "identity", value: "UUID/MAJOR/MINOR",
                help: "accept: the identity of the device that has replaced the beacon"),
            Option(
                "date", value: "DATE",
                help: "accept: the first day of the new place, today without it, and not later;"
                    + " retire: the last day of use, yesterday without it"),
            Option("all", help: "diff: also the beacons that were heard"),
            Option(
                "input", value: "FILE",
                help: "diff and import: recorded messages, one a line, instead of a broker's; - is"
                    + " standard input", isRepeatable: true),
            Option(
                "seconds", value: "N",
                help: "diff: how long to listen; label: how long the beacon stands there; the"
                    + " default is 60"),
            Option("uuid", value: "UUID", help: "import --input: only beacons with this UUID"),
            Option(
                "site", value: "SITE",
                help: "without ACTION: only this site; diff and import: only its gateways; plan:"
                    + " the site of the gateways; label: the site, if the server has several"),
            resultsRoot,
        ] + ServerAPI.options + BrokerOptions.place + BrokerOptions.credentials,
        operands: [
            Operand(
                "ACTION", help: Action.allCases.map(\.rawValue).joined(separator: ", "),
                isRequired: false, completion: .words(Action.allCases.map(\.rawValue))),
            Operand(
                "FILE",
                help: "the registry, a CSV file with a header row; for import, a vendor's export (-"
                    + " is standard input); for label, the beacon: its name or UUID/MAJOR/MINOR",
                isRequired: false, completion: .file),
            Operand(
                "BEACON",
                help: "accept and retire: a name of the registry, UUID/MAJOR/MINOR, or MAJOR/MINOR;"
                    + " label: the zone in which the beacon stands",
                isRequired: false),
        ], manual: manual)

    private static let kindWords = RegisteredBeacon.Kind.allCases.map(\.rawValue)

    /// `nil` shows the states by servers.
    private let action: Action?
    private let live: (broker: BrokerOptions, results: LiveResults)?
    private let api: ServerAPI?
    let path: String
    let invocation: Invocation
    let kind: RegisteredBeacon.Kind?
    let uuid: ProximityUUID?
    let seconds: Int64

    /// The number 3: the comparison is done, and a beacon is missing.
    static let missing = ExitCode.partlyDone

    init(_ invocation: Invocation) throws(UsageError) {
        action = try Self.action(invocation)
        try Self.checkOptions(invocation, of: action)
        self.invocation = invocation
        path = invocation.operands.dropFirst().first ?? ""
        live = action == nil ? try Self.live(invocation) : nil
        api = action == .label ? try ServerAPI(invocation) : nil
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

    /// `nil` without an action.
    private static func action(_ invocation: Invocation) throws(UsageError) -> Action? {
        let operands = invocation.operands
        guard let word = operands.first else { return nil }
        guard let action = Action(rawValue: word) else {
            let words = Action.allCases.map(\.rawValue)
            let near = NearestWord.to(word, among: words)
            throw UsageError(
                "“\(word.printable())” is no action; "
                    + (near.map { "did you mean \($0)?" }
                        ?? "expected one of \(words.joined(separator: ", "))"))
        }
        if action == .label {
            guard operands.count == (invocation.has("remove") || operands.count == 1 ? 1 : 3) else {
                throw UsageError(
                    invocation.has("remove")
                        ? "--remove ID takes no BEACON" : "ZONE is missing: label BEACON ZONE")
            }
            return action
        }
        if action == .import, invocation.has("input") {
            guard operands.count == 1 else {
                throw UsageError("import takes either a FILE or --input")
            }
        } else if operands.count < 2 {
            throw UsageError(
                "FILE is missing: \(word) FILE" + (action.isEdit ? " BEACON" : ""))
        }
        guard (operands.count == 3) == action.isEdit || operands.count < 2 else {
            throw UsageError(
                action.isEdit
                    ? "BEACON is missing: \(word) FILE BEACON" : "\(word) takes no BEACON")
        }
        return action
    }

    /// The actions that an option is for; `nil` is none, which shows the states by servers.
    private static let uses: [(option: String, actions: [Action?])] = [
        ("work", [nil]), ("follow", [nil]), ("results-root", [nil]), ("kind", [.list, .import]),
        ("zone", [.list, .accept]), ("place", [.accept, .label]), ("identity", [.accept]),
        ("date", [.accept, .retire]), ("all", [.diff]), ("input", [.diff, .import]),
        ("seconds", [.diff, .label]), ("uuid", [.import]),
        ("site", [nil, .diff, .import, .plan, .label]), ("remove", [.label]), ("server", [.label]),
        ("token-file", [.label]),
    ]

    private static func checkOptions(
        _ invocation: Invocation, of action: Action?
    ) throws(UsageError) {
        for (option, actions) in uses where invocation.has(option) && !actions.contains(action) {
            let words = actions.compactMap { $0?.rawValue }.joined(separator: " and ")
            guard let action else {
                throw UsageError("--\(option) is for the actions \(words): give an ACTION")
            }
            throw UsageError(
                words.isEmpty
                    ? "--\(option) shows what servers publish; leave out \(action.rawValue)"
                    : "--\(option) is for \(words), not for \(action.rawValue)")
        }
    }

    private static func live(
        _ invocation: Invocation
    ) throws(UsageError) -> (BrokerOptions, LiveResults) {
        if invocation.has("work"), invocation.has("follow") {
            throw UsageError("--work is the present; leave out --follow")
        }
        let broker = try BrokerOptions(invocation)
        return (
            broker,
            LiveResults(
                .init(
                    topics: try topics(invocation), site: try broker.site(invocation),
                    follows: invocation.has("follow"), json: invocation.has("json")),
                LiveBeacons.content(showsWork: invocation.has("work")))
        )
    }

    func run(to output: inout StandardOutput) -> ExitCode {
        if let live {
            var results = live.results
            return live.broker.run(
                &results, results.filters, maximumPayload: LiveResults.maxBytes, to: &output)
        }
        do throws(Unusable) {
            if let api { return try label(api, to: &output) }
            if action == .import { return try importBeacons(to: &output) }
            if let action, action.isEdit {
                return try edit(isAccepted: action == .accept, to: &output)
            }
            let contents = Registry(parsing: try contents())
            guard action != .lint else { return lint(contents, to: &output) }
            guard let registry = faultless(contents) else { return .wrongUse }
            return switch action {
            case .list: list(registry, to: &output)
            case .plan: plan(registry, to: &output)
            default: try compare(registry, to: &output)
            }
        } catch {
            if !error.sentence.isEmpty { StandardOutput.report(error.sentence) }
            return error.status
        }
    }

    /// Why the command ends early.
    struct Unusable: Error {
        let sentence: String
        var status = ExitCode.wrongUse
    }

    /// The registry; reports its faults, and is `nil` then.
    func faultless(_ registry: Registry) -> Registry? {
        for fault in registry.faults {
            StandardOutput.report("\(name):\(fault.line): \(fault.sentence)")
        }
        return registry.faults.isEmpty ? registry : nil
    }

    /// The registry's file, for messages.
    var name: String {
        path == PlanFile.standardInput ? "standard input" : path.printable(limit: 400)
    }

    func contents() throws(Unusable) -> [UInt8] {
        do throws(TextFile.Unreadable) {
            return try TextFile.contents(
                of: TextFile.open(path, standardInput: PlanFile.standardInput),
                maxBytes: Registry.maxBytes)
        } catch {
            throw Unusable(sentence: "\(name): can't be read: \(error)")
        }
    }
}
