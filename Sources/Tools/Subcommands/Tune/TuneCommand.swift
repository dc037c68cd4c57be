import CommandLine
import Contract
import Glibc
import JSON
import Posix
import Primitives
import Subscriber
import Terminal

/// `sightline tune`: publishes the next version of a layer's document, or of a plan's documents, and shows the results.
package struct TuneCommand: Subcommand {
    package static let command = Command(
        name: "sightline tune",
        summary:
            "changes settings of a fleet, site or gateway, and waits for the gateways' reports",
        options: BrokerOptions.place + [
            Option(
                "site", value: "SITE", help: "change the document of this site, not of the fleet"),
            Option(
                "gateway", value: "GATEWAY",
                help: "change the document of this gateway; needs --site"),
            Option(
                "plan", value: "FILE",
                help:
                    "change many documents: a CSV file with a header row, or a JSON array of"
                    + " objects (- is standard input). Columns: site, major (of the site), gateway,"
                    + " minor and other keys (of the gateway). An empty cell changes nothing."
                    + " Columns such as label.floor are for --label, which chooses rows; a site's major needs all"
                    + " its gateways"),
            Option("create", help: "publish for sites and gateways of which nothing is known yet"),
            Option(
                "wait-offline",
                help: "wait for gateways that are offline as well, until --timeout"),
            Option(
                "timeout", value: "SECONDS",
                help: "time for the gateways to answer (default: 30)"),
            Option(
                "yes",
                help:
                    "on a terminal, change more than \(mostUnasked) documents without a question"
            ),
            Option("dry-run", help: "show the changes without publishing them"),
            Option("replace", help: "start with an empty document instead of the broker's"),
            Option(
                "reset-versions",
                help:
                    "let the document's version begin again: gateways get a removal and the whole document."
                    + " For a version that is too high; KEY=VALUE is optional"),
            Option(
                "remove",
                help:
                    "remove the layer's document; give no KEY=VALUE. Gateways that are offline keep"
                    + " the layer, because they do not receive the removal: KEY=null is safer"),
            Option(
                "history",
                help:
                    "show what changed when at the fleet, SITE or SITE/GATEWAY, as far as retained"
                    + " documents and reports tell; changes nothing"),
            Option("verbose", help: "show each document and each gateway, however many"),
            Option("json", help: "write the results as JSON, one object a line"),
        ] + GatewaySelection.options + BrokerOptions.credentials,
        operands: [
            Operand(
                "KEY=VALUE",
                help: "a setting: advertise.major=42. VALUE is JSON, or else a string."
                    + " KEY=null removes the key from this document, so that lower layers apply."
                    + " KEY:=JSON sets the value without merging: KEY:=null removes the value of"
                    + " lower layers. The exit code is 0 only if every gateway has applied it, and 3 if"
                    + " only gateways that are offline have not. With --history: SITE or SITE/GATEWAY",
                isRequired: false, isRepeatable: true,
                completion: .words(Self.words))
        ], manual: manual)

    /// The most documents that change without a question on a terminal.
    private static let mostUnasked = 20

    /// The completion words of a shell: every key of a document.
    static let words = GatewaySettings.keys.flatMap { $0.paths() }.map { $0 + "=" }

    let connection: BrokerOptions
    let isDryRun: Bool
    /// Whether the user is asked before many documents change.
    private let asks: Bool
    let mode: RolloutRequest.Mode
    let createsPlaces: Bool
    let waitsForOffline: Bool
    let json: Bool
    let isVerbose: Bool
    let showsHistory: Bool
    let plan: String?
    let name: LayerName
    private let assignments: [Assignment]
    private let timeout: Duration

    package init(_ invocation: Invocation) throws(UsageError) {
        connection = try BrokerOptions(invocation)
        if let fault = Self.planFault(invocation) { throw fault }
        showsHistory = invocation.has("history")
        name = try Self.place(invocation)
        isVerbose = invocation.has("verbose")
        plan = invocation["plan"]
        isDryRun = invocation.has("dry-run")
        asks = !invocation.has("yes")
        mode = Self.mode(invocation)
        createsPlaces = invocation.has("create")
        waitsForOffline = invocation.has("wait-offline")
        json = invocation.has("json")
        timeout = try Self.timeout(invocation)
        assignments = showsHistory ? [] : try Self.assignments(invocation)
        if showsHistory { return }
        if plan == nil, assignments.isEmpty, mode != .remove, !mode.restartsVersions {
            throw UsageError("nothing to set; expected KEY=VALUE, such as advertise.major=42")
        }
        let given =
            ["replace", "reset-versions", "create"].first(where: invocation.has).map { "--\($0)" }
            ?? (assignments.isEmpty ? nil : "KEY=VALUE")
        if mode == .remove, let given {
            throw UsageError("--remove removes the whole document; leave out \(given)")
        }
    }

    /// The options `--site` and `--gateway`; with `--history`, the operand as well.
    private static func place(_ invocation: Invocation) throws(UsageError) -> LayerName {
        let site = try BrokerOptions.name("site", invocation)
        let gateway = try BrokerOptions.name("gateway", invocation)
        guard gateway == nil || site != nil else {
            throw UsageError("--gateway needs --site SITE")
        }
        if invocation.has("label"),
            let option = ["site", "gateway", "history"].first(where: invocation.has)
        {
            throw UsageError("--label chooses gateways; leave out --\(option)")
        }
        guard invocation.has("history") else { return LayerName(site: site, gateway: gateway) }
        let changing = [
            "plan", "create", "wait-offline", "timeout", "dry-run", "replace", "reset-versions",
            "remove",
        ]
        if let option = changing.first(where: invocation.has) {
            throw UsageError("--history changes nothing; leave out --\(option)")
        }
        guard let text = invocation.operands.first else {
            return LayerName(site: site, gateway: gateway)
        }
        let names = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard site == nil, invocation.operands.count == 1, names.count <= 2,
            names.allSatisfy(Topics.isName)
        else {
            throw UsageError(
                "--history takes one SITE or SITE/GATEWAY, such as store-042, not"
                    + " “\(invocation.operands.joined(separator: " ").printable(limit: 140))”"
                    + (site == nil ? "" : " beside --site"))
        }
        return LayerName(site: names[0], gateway: names.count > 1 ? names[1] : nil)
    }

    /// The arguments that conflict with a plan.
    private static func planFault(_ invocation: Invocation) -> UsageError? {
        guard invocation["plan"] != nil else { return nil }
        let given =
            ["site", "gateway", "remove", "reset-versions"].filter(invocation.has).map { "--\($0)" }
            + (invocation.operands.isEmpty ? [] : ["KEY=VALUE"])
        guard let last = given.last else { return nil }
        let others = given.dropLast().joined(separator: ", ")
        return UsageError(
            "--plan has all places and values; leave out "
                + (others.isEmpty ? last : "\(others) and \(last)"))
    }

    private static func mode(_ invocation: Invocation) -> RolloutRequest.Mode {
        let replaces = invocation.has("replace")
        if invocation.has("remove") { return .remove }
        if invocation.has("reset-versions") { return .restart(replacing: replaces) }
        return replaces ? .replace : .edit
    }

    private static func timeout(_ invocation: Invocation) throws(UsageError) -> Duration {
        guard let text = invocation["timeout"] else { return .seconds(30) }
        guard let seconds = Int64(text), (1...86_400).contains(seconds) else {
            throw UsageError(
                "--timeout must be a whole number from 1 to 86400, not “\(text.printable())”")
        }
        return .seconds(seconds)
    }

    private static func assignments(_ invocation: Invocation) throws(UsageError) -> [Assignment] {
        var assignments: [Assignment] = []
        for text in invocation.operands {
            do throws(Assignment.Invalid) {
                let assignment = try Assignment(parsing: text)
                guard !assignments.contains(where: { $0.path == assignment.path }) else {
                    let key = assignment.path.joined(separator: ".").printable()
                    throw Assignment.Invalid(sentence: "\(key) is given twice")
                }
                assignments.append(assignment)
            } catch {
                throw UsageError(error.sentence)
            }
        }
        return assignments
    }

    /// The request of the command line, or of a plan.
    func request(_ plan: Plan?) -> RolloutRequest {
        var request = RolloutRequest(
            root: connection.root, edits: [LayerEdit(name: name, assignments: assignments)])
        if let site = name.site, let gateway = name.gateway {
            request.named = [GatewayName(site: site, id: gateway)]
        }
        if let selection = connection.selection, plan == nil {
            request.named = selection.names
            request.edits = selection.names.map {
                LayerEdit(
                    name: LayerName(site: $0.site, gateway: $0.id), assignments: assignments)
            }
        }
        if let plan {
            request.edits = plan.edits
            request.named = plan.gateways
        }
        request.isDryRun = isDryRun
        if asks, Terminal.isTerminal(STDIN_FILENO), Terminal.isTerminal(STDERR_FILENO) {
            request.mostUnasked = Self.mostUnasked
        }
        request.mode = mode
        request.createsPlaces = createsPlaces
        request.waitsForOffline = waitsForOffline
        request.timeout = timeout
        return request
    }

    /// The faults of the assignments, whatever the broker's document has: one sentence each.
    private var faults: [String] {
        // A null may remove a key that only the broker's document has.
        let certain = assignments.filter { $0.value != .null || $0.isLiteral }
        do throws(DocumentRevision.Failure) {
            _ = try DocumentRevision(of: name, base: nil, assignments: certain, mode: .replace)
            return []
        } catch {
            return error.sentences(
                topic: name.topic(root: connection.root), KnownVersions())
        }
    }

    package func run(to output: inout StandardOutput) -> ExitCode {
        var plan: Plan?
        if let path = self.plan {
            let name = path == PlanFile.standardInput ? "standard input" : path
            do throws(PlanFile.Invalid) {
                plan = try Plan(path: path)
            } catch {
                error.sentences.forEach { StandardOutput.report("\(name): \($0)") }
                return .wrongUse
            }
            plan?.warnings.forEach { StandardOutput.report("\(name): \($0)") }
            if let selection = connection.selection {
                plan?.restrict(to: selection)
                guard plan?.edits.isEmpty == false else {
                    StandardOutput.report("\(name): no value is for \(selection.description)")
                    return .wrongUse
                }
            }
        }
        let faults = self.faults
        guard faults.isEmpty else {
            faults.forEach(StandardOutput.report)
            return .wrongUse
        }
        guard !showsHistory else {
            var session = HistorySession(self, Environment())
            return run(
                &session, HistorySession.filters(of: name, root: connection.root),
                dispensable: [Topics.filter(.status, root: connection.root)], to: &output)
        }
        let request = request(plan)
        var session = TuneSession(self, request, Environment(), at: .now)
        return run(
            &session, request.filters, dispensable: request.dispensableFilters, to: &output)
    }

    /// A broker drops messages beyond its queue of unacknowledged ones (mosquitto: 1,000), and a fleet retains more. QoS 0
    /// needs no queue. After a lost connection, the rollout reads all retained messages again.
    private func run(
        _ program: inout some TerminalProgram, _ filters: [String], dispensable: Set<String>,
        to output: inout StandardOutput
    ) -> ExitCode {
        connection.run(
            &program, filters, dispensable: dispensable, quality: .atMostOnce,
            maximumPayload: ReportedMessage.maxBytes, to: &output)
    }
}
