import Contract
import JSON
import Primitives

/// A fault of a JSON document, not of a plan.
typealias DocumentFault = Fault

/// A row of a plan: the settings of a site and of one of its gateways.
struct PlanRow {
    /// `line 7`, or `row 7` of a JSON array.
    let place: String
    let site: String
    /// `nil` for a row that concerns only the site.
    let gateway: String?
    /// For the site's document.
    var major: JSON?
    /// For the gateway's document.
    var assignments: [Assignment] = []

    /// A column's value: text of a CSV file, or a value of a JSON one.
    enum Cell {
        case text(String)
        case json(JSON)

        /// An empty cell changes nothing.
        var isEmpty: Bool {
            switch self {
            case .text(let text): text.isEmpty
            case .json(let json): json == .string("")
            }
        }

        var name: String? {
            switch self {
            case .text(let text): text
            case .json(.string(let text)): text
            case .json: nil
            }
        }
    }

    /// The columns with names of their own; all others are keys.
    static let words = ["site", "major", "gateway", "minor"]

    /// The column with this name in any case; unknown names are unchanged.
    static func column(_ name: String) -> String { columns[name.lowercased()] ?? name }

    private static let columns = Dictionary(
        (words + GatewaySettings.keys.flatMap { [$0.name] + $0.paths() }).map {
            ($0.lowercased(), $0)
        }, uniquingKeysWith: { first, _ in first })

    /// The key of a column in the gateway's document.
    static func key(of column: String) -> String { column == "minor" ? "advertise.minor" : column }

    /// Reads the cells that are not empty; `nil` for an invalid row, after a sentence for each fault.
    init?(
        _ cells: [(column: String, cell: Cell)], at place: String, _ faults: inout [String]
    ) {
        self.place = place
        let before = faults.count
        func note(_ sentence: String) { faults.append("\(place): \(sentence)") }
        func name(_ column: String) -> String? {
            guard let cell = cells.first(where: { $0.column == column })?.cell else { return nil }
            guard let name = cell.name, Topics.isName(name) else {
                let shown = cell.name.map { ", not “\($0.printable(limit: 100))”" } ?? ""
                note("\(column) must be \(Topics.nameRule)\(shown)")
                return nil
            }
            return name
        }
        let site = name("site")
        if site == nil, faults.count == before { note("site is missing") }
        gateway = name("gateway")
        let hasGateway = cells.contains { $0.column == "gateway" }
        for (column, cell) in cells where column != "site" && column != "gateway" {
            do throws(Assignment.Invalid) {
                let key = column == "major" ? "advertise.major" : Self.key(of: column)
                let assignment =
                    switch cell {
                    case .text(let text): try Assignment(key: key, value: text)
                    case .json(let json): try Assignment(key: key, value: json)
                    }
                for fault in JSON.object([]).applying(assignment.keepingNulls).faultsOfSections {
                    note(Self.sentence(fault, of: column))
                }
                if column == "major" {
                    major = assignment.value
                } else if assignments.contains(where: { $0.path == assignment.path }) {
                    note("\(assignment.path.joined(separator: ".")) is there twice")
                } else {
                    assignments.append(assignment)
                    if !hasGateway {
                        note("\(column.printable()) belongs to a gateway, but none is named")
                    }
                }
            } catch {
                note(error.sentence)
            }
        }
        guard faults.count == before, let site else { return nil }
        self.site = site
    }

    /// The fault of a cell or of its column.
    static func sentence(_ fault: DocumentFault, of column: String) -> String {
        // The reader already suggests a key of a section.
        guard fault.code == .unknownKey, !column.contains("."),
            !fault.message.contains("did you mean")
        else { return fault.message }
        let sentence = "\(column.quotedForPeople) is no column that is known here"
        if let word = NearestWord.to(column, among: words) {
            return "\(sentence); did you mean “\(word)”?"
        }
        return "\(sentence); expected \(words.joined(separator: ", ")), or a key such as"
            + " advertise.txPowerDbm"
    }
}
