import CommandLine
import Posix
import Terminal

/// `sightline plan`: prints the gateways of a plan. `sightline-provision` reads plans with it.
struct PlanCommand: Subcommand {
    static let command = Command(
        name: "sightline plan",
        summary: "prints the gateways of a plan, SITE/GATEWAY one per line",
        options: [
            Option(
                "label", value: "NAME=VALUE",
                help: "only gateways with this label, a column label.NAME of the plan; repeatable:"
                    + " values of one name are alternatives",
                isRepeatable: true, completion: .names("labels"))
        ],
        operands: [
            Operand(
                "FILE",
                help: "the plan: a CSV file with a header row, or a JSON array of objects (- is"
                    + " standard input)", completion: .file)
        ],
        manual: Manual(
            [
                "Reads a plan as sightline tune and sightline-provision do, and needs no broker. It checks the "
                    + "names, and not the settings: sightline tune --plan FILE --dry-run does."
            ], exitCodes: ExitCode.manual,
            examples: [
                .init("sightline plan stores.csv", "The gateways of a plan:"),
                .init("sightline plan stores.csv --label floor=2", "Those on the second floor:"),
            ],
            seeAlso: ["sightline(1)", "sightline-tune(1)", "sightline-provision(1)"]))

    private let path: String
    private let invocation: Invocation

    init(_ invocation: Invocation) throws(UsageError) {
        path = invocation.operands.first ?? ""
        self.invocation = invocation
    }

    func run(to output: inout StandardOutput) -> ExitCode {
        let name = path == PlanFile.standardInput ? "standard input" : path
        do throws(PlanFile.Invalid) {
            let fleet = try LabelledGateways(try PlanFile(path: path))
            do throws(UsageError) {
                let selection = try GatewaySelection(invocation.all("label"), of: fleet, in: name)
                let names = selection?.names ?? fleet.names
                output.write(names.map { "\($0)\n" }.joined())
                return .done
            } catch {
                StandardOutput.report(error.description)
            }
        } catch {
            error.sentences.forEach { StandardOutput.report("\(name): \($0)") }
        }
        return .wrongUse
    }
}
