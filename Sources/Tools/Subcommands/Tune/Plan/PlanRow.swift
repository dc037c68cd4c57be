import Contract
import JSON
import Primitives
import Terminal

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

    /// Whether a column is for `--label` alone.
    static func isLabel(_ column: String) -> Bool { column.hasPrefix(PlanFile.labelPrefix) }

    /// Reads the cells that are not empty; `nil` for an invalid row, after a sentence for each fault.
    init?(_ record: PlanFile.Record, ignoring ignored: Set<String>, _ faults: inout [String]) {
        place = record.place
        let place = place
        let before = faults.count
        let cells = record.cells.filter { !ignored.contains($0.column) && !Self.isLabel($0.column) }
        func note(_ sentence: String) { faults.append("\(place): \(sentence)") }
        let site = record.name("site") { faults.append($0) }
        if site == nil, faults.count == before { note("site is missing") }
        gateway = record.name("gateway") { faults.append($0) }
        let hasGateway = cells.contains { $0.column == "gateway" }
        for (column, cell) in cells where column != "site" && column != "gateway" {
            do throws(Assignment.Invalid) {
                let key = column == "major" ? "advertise.major" : PlanFile.key(of: column)
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
                    note("duplicate key \(assignment.path.joined(separator: "."))")
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
        let sentence = "unknown column \(column.quotedForPeople)"
        if let word = NearestWord.to(column, among: PlanFile.words) {
            return "\(sentence); did you mean “\(word)”?"
        }
        return "\(sentence); expected \(PlanFile.words.joined(separator: ", ")), or a key such as"
            + " advertise.txPowerDbm"
    }
}
