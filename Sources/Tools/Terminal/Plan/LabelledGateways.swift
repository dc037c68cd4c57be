import CommandLine
import Primitives
import Subscriber

/// The gateways of a plan with their labels, the columns `label.NAME`. A gateway has the labels of its site's own row as well.
package struct LabelledGateways {
    /// The gateways in the file's order.
    package private(set) var names: [GatewayName] = []
    private var labels: [GatewayName: [String: String]] = [:]
    private var sites: [String: [String: String]] = [:]

    /// Reads the names and the labels of a file; throws all their faults. Other columns do not matter.
    package init(_ file: PlanFile) throws(PlanFile.Invalid) {
        var faults = file.faults
        for column in ["site", "gateway"] {
            guard let header = file.header, !header.columns.contains(column) else { continue }
            faults.append("\(header.place): the column \(column) is missing")
        }
        guard faults.isEmpty else { throw PlanFile.Invalid(faults) }
        var places: [GatewayName: String] = [:]
        for record in file.records {
            let before = faults.count
            let site = record.name("site") { faults.append($0) }
            let gateway = record.name("gateway") { faults.append($0) }
            guard faults.count == before else { continue }
            guard let site else {
                faults.append("\(record.place): site is missing")
                continue
            }
            let own = Dictionary(
                record.cells.filter { $0.column.hasPrefix(PlanFile.labelPrefix) }.map {
                    (String($0.column.dropFirst(PlanFile.labelPrefix.count)), $0.cell.label)
                }, uniquingKeysWith: { first, _ in first })
            guard let gateway else {
                sites[site, default: [:]].merge(own) { first, _ in first }
                continue
            }
            let name = GatewayName(site: site, id: gateway)
            if let place = places[name] {
                faults.append("\(record.place): \(name) is there already, in \(place)")
            }
            places[name] = record.place
            names.append(name)
            labels[name] = own
        }
        guard faults.isEmpty else { throw PlanFile.Invalid(faults) }
    }

    /// All labels of a gateway, its own ones before those of its site.
    func labels(of name: GatewayName) -> [String: String] {
        (labels[name] ?? [:]).merging(sites[name.site] ?? [:]) { own, _ in own }
    }

    /// Each label that a gateway or a site has: `floor=2`.
    package var all: [String] {
        let pairs = (Array(labels.values) + Array(sites.values)).flatMap { $0 }
        return Set(pairs.map { "\($0.key)=\($0.value)" }).sorted()
    }
}

/// The gateways that `--label` chooses.
package struct GatewaySelection {
    package static let options = [
        Option(
            "label", value: "NAME=VALUE",
            help: "only gateways with this label, by the column label.NAME of the file of --labels;"
                + " repeatable: values of one name are alternatives",
            isRepeatable: true, completion: .names("labels")),
        Option(
            "labels", value: "FILE",
            help: "a plan with the labels; the default is that of the profile"),
    ]

    private let wanted: [String: Set<String>]
    private let fleet: LabelledGateways
    /// The chosen gateways in the file's order.
    package let names: [GatewayName]

    /// - Parameter file: the file without `--labels`.
    /// - Returns: `nil` without `--label`.
    package init?(_ invocation: Invocation, usually file: String?) throws(UsageError) {
        guard invocation.has("label") else {
            if invocation.has("labels") { throw UsageError("--labels needs --label NAME=VALUE") }
            return nil
        }
        guard let path = invocation["labels"] ?? file else {
            throw UsageError(
                "--label needs --labels FILE, or the key labels of a profile: a plan with columns"
                    + " such as label.floor")
        }
        let fleet: LabelledGateways
        do throws(PlanFile.Invalid) {
            fleet = try LabelledGateways(try PlanFile(path: path))
        } catch {
            throw UsageError(
                "\(path.printable(limit: 400)): \(error.sentences.first ?? "can't be read")",
                concernsHelp: false)
        }
        try self.init(invocation.all("label"), of: fleet, in: path)
    }

    /// - Parameters:
    ///   - texts: `NAME=VALUE` each.
    ///   - file: the name of the file of the labels.
    /// - Returns: `nil` without a text.
    package init?(
        _ texts: [String], of fleet: LabelledGateways, in file: String
    ) throws(UsageError) {
        guard !texts.isEmpty else { return nil }
        let wanted = try Self.wanted(texts)
        (self.wanted, self.fleet) = (wanted, fleet)
        names = fleet.names.filter { Self.matches(fleet.labels(of: $0), wanted) }
        guard names.isEmpty else { return }
        throw UsageError(
            "no gateway of \(file.printable(limit: 400)) has \(description)"
                + Self.hint(wanted, fleet.all), concernsHelp: false)
    }

    /// - Parameter texts: `NAME=VALUE` each.
    private static func wanted(_ texts: [String]) throws(UsageError) -> [String: Set<String>] {
        var wanted: [String: Set<String>] = [:]
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else {
                throw UsageError(
                    "--label must be NAME=VALUE, such as floor=2, not “\(text.printable())”")
            }
            wanted[parts[0].lowercased(), default: []].insert(String(parts[1]))
        }
        return wanted
    }

    private static func hint(_ wanted: [String: Set<String>], _ all: [String]) -> String {
        let texts = wanted.flatMap { name, values in values.map { "\(name)=\($0)" } }.sorted()
        let near = texts.compactMap { NearestWord.to($0, among: all) }.filter {
            !texts.contains($0)
        }
        if let first = near.first { return "; did you mean \(first.printable())?" }
        let shown = all.prefix(5).map { $0.printable() }.joined(separator: ", ")
        return all.isEmpty ? "; it has no column such as label.floor" : "; it has labels: \(shown)"
    }

    package func contains(_ name: GatewayName) -> Bool {
        Self.matches(fleet.labels(of: name), wanted)
    }

    private static func matches(
        _ labels: [String: String], _ wanted: [String: Set<String>]
    ) -> Bool {
        wanted.allSatisfy { name, values in labels[name].map(values.contains) ?? false }
    }

    /// `floor=1 or 2, region=north`.
    package var description: String {
        wanted.sorted { $0.key < $1.key }.map { name, values in
            "\(name)=\(values.sorted().joined(separator: " or "))".printable(limit: 100)
        }.joined(separator: ", ")
    }
}
