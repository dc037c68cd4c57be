import CommandLine
import CommandSupport
import Contract
import JSON
import MQTT
import Posix
import Primitives
import Subscriber

/// `sightline tune`: the next version of a layer's document, or of a whole plan's, and what gateways make of it.
package struct TuneCommand: Subcommand {
    package static let command = Command(
        name: "sightline tune",
        summary: "retunes gateways: publishes settings of a fleet, site or gateway, and waits"
            + " for their reports",
        options: BrokerOptions.place + [
            Option("site", value: "SITE", help: "set the document of this site, not of the fleet"),
            Option(
                "gateway", value: "GATEWAY",
                help: "set the document of this gateway; needs --site"),
            Option(
                "plan", value: "FILE",
                help:
                    "set many at once: a CSV file with a header row, or a JSON array of objects (-"
                    + " is standard input),"
                    + " with site, major (the site's), gateway, minor and other keys (the"
                    + " gateway's); an empty cell leaves things as they are"),
            Option(
                "timeout", value: "SECONDS",
                help: "how long gateways have to answer; 30 if not given"),
            Option("dry-run", help: "show what would change, and publish nothing"),
            Option("replace", help: "begin with an empty document, whatever the broker has"),
            Option(
                "remove",
                help:
                    "take the layer's document away, in place of KEY=VALUE; gateways that are away"
                    + " keep the layer, for only who sees the removal obeys it: KEY=null is safer"),
            Option("json", help: "write the results as JSON, one object a line"),
        ] + BrokerOptions.credentials,
        operands: [
            Operand(
                "KEY=VALUE",
                help: "what to set: advertise.major=42. VALUE is JSON, or else a string;"
                    + " KEY=null takes the key out of this document, so that wider layers decide;"
                    + " KEY:=JSON puts JSON there as it is, so that KEY:=null undoes what a wider"
                    + " layer sets. Exits with 0 only if every gateway has applied it",
                isRequired: false, isRepeatable: true,
                completion: .words(Self.words))
        ], manual: manual)

    /// What a shell suggests: every key that a document may have.
    static let words = GatewaySettings.keys.flatMap { $0.paths() }.map { $0 + "=" }

    let connection: BrokerOptions
    let isDryRun: Bool
    let isReplacing: Bool
    let isRemoving: Bool
    let json: Bool
    let plan: String?
    private let name: LayerName
    private let assignments: [Assignment]
    private let timeoutSeconds: Int64

    package init(_ invocation: Invocation) throws(UsageError) {
        connection = try BrokerOptions(invocation)
        if let objection = Self.objectionToPlan(invocation) { throw objection }
        let site = try BrokerOptions.name("site", invocation)
        let gateway = try BrokerOptions.name("gateway", invocation)
        guard gateway == nil || site != nil else {
            throw UsageError("--gateway needs --site SITE")
        }
        name = LayerName(site: site, gateway: gateway)
        plan = invocation["plan"]
        isDryRun = invocation.has("dry-run")
        isReplacing = invocation.has("replace")
        isRemoving = invocation.has("remove")
        json = invocation.has("json")
        timeoutSeconds = try Self.seconds(invocation)
        assignments = try Self.assignments(invocation)
        if plan == nil, assignments.isEmpty, !isRemoving {
            throw UsageError("nothing to set; expected KEY=VALUE, such as advertise.major=42")
        }
        if isRemoving, isReplacing || !assignments.isEmpty {
            let given = isReplacing ? "--replace" : "KEY=VALUE"
            throw UsageError("--remove takes the whole document away; leave out \(given)")
        }
    }

    /// What was given beside a plan, and has no sense there.
    private static func objectionToPlan(_ invocation: Invocation) -> UsageError? {
        guard invocation["plan"] != nil else { return nil }
        let given =
            ["site", "gateway", "remove"].filter(invocation.has).map { "--\($0)" }
            + (invocation.operands.isEmpty ? [] : ["KEY=VALUE"])
        guard let last = given.last else { return nil }
        let others = given.dropLast().joined(separator: ", ")
        return UsageError(
            "--plan says by itself what to set where; leave out "
                + (others.isEmpty ? last : "\(others) and \(last)"))
    }

    private static func seconds(_ invocation: Invocation) throws(UsageError) -> Int64 {
        guard let text = invocation["timeout"] else { return 30 }
        guard let seconds = Int64(text), (1...86_400).contains(seconds) else {
            throw UsageError(
                "--timeout must be a whole number from 1 to 86400, not “\(text.printable())”")
        }
        return seconds
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

    /// What is to be done, once it is known whether there is a plan.
    func order(_ plan: Plan?) -> Campaign.Order {
        var order = Campaign.Order(
            root: connection.root, wishes: [.init(name: name, assignments: assignments)])
        if let site = name.site, let gateway = name.gateway {
            order.named = [GatewayName(site: site, id: gateway)]
        }
        if let plan {
            order.wishes = plan.wishes
            order.named = plan.gateways
        }
        order.isDryRun = isDryRun
        order.isReplacing = isReplacing
        order.isRemoving = isRemoving
        order.timeout = timeoutSeconds * 1_000_000
        return order
    }

    package func run(to output: inout StandardOutput) -> ExitCode {
        var plan: Plan?
        if let path = self.plan {
            let name = path == Plan.standardInput ? "standard input" : path
            do throws(Plan.Flawed) {
                plan = try Plan(path: path)
            } catch {
                error.sentences.forEach { StandardOutput.complain("\(name): \($0)") }
                return .wrongUse
            }
            plan?.warnings.forEach { StandardOutput.complain("\(name): \($0)") }
        }
        do throws(BrokerOptions.Unusable) {
            let settings = try connection.settings(maximumPayload: ReportedMessage.maxBytes)
            var tune = Tune(self, order(plan), settings, Environment())
            return tune.run()
        } catch {
            StandardOutput.complain(error.sentence)
            return .wrongUse
        }
    }
}
