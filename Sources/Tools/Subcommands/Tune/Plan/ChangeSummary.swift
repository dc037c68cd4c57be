import Contract
import JSON
import Primitives
import Terminal

/// The equal changes of many documents, together.
struct ChangeSummary {
    /// Removed or new values at one place, in the documents of one layer.
    struct Group {
        let layer: Topics.Layer
        let pointer: JSONPointer
        let isNew: Bool
        /// The different values, in the order of the documents, and the documents with each.
        fileprivate(set) var values: [(value: JSON, names: [LayerName])]

        var names: [LayerName] { values.flatMap(\.names) }
    }

    /// In the order of their first documents.
    let groups: [Group]
    /// Documents that change without a difference, by reason.
    let otherwise: [(reason: DocumentRevision.Reason, names: [LayerName])]

    private struct Key: Hashable {
        let layer: Topics.Layer
        let place: String
        let isNew: Bool
    }

    init(_ revisions: some Sequence<DocumentRevision>) {
        var groups: [Group] = []
        var places: [Key: Int] = [:]
        var values: [[String: Int]] = []
        var otherwise: [(reason: DocumentRevision.Reason, names: [LayerName])] = []
        func add(_ value: JSON, at pointer: JSONPointer, isNew: Bool, _ name: LayerName) {
            let key = Key(layer: name.layer, place: pointer.description, isNew: isNew)
            let index = places[key] ?? groups.count
            if index == groups.count {
                places[key] = index
                groups.append(
                    Group(layer: name.layer, pointer: pointer, isNew: isNew, values: []))
                values.append([:])
            }
            if let known = values[index][value.text] {
                groups[index].values[known].names.append(name)
            } else {
                values[index][value.text] = groups[index].values.count
                groups[index].values.append((value, [name]))
            }
        }
        for revision in revisions where revision.bytes != nil {
            for change in revision.difference.changes {
                if let old = change.old {
                    add(old, at: change.pointer, isNew: false, revision.name)
                }
                if let new = change.new {
                    add(new, at: change.pointer, isNew: true, revision.name)
                }
            }
            guard revision.difference.isEmpty else { continue }
            if let index = otherwise.firstIndex(where: { $0.reason == revision.reason }) {
                otherwise[index].names.append(revision.name)
            } else {
                otherwise.append((revision.reason, [revision.name]))
            }
        }
        self.groups = groups
        self.otherwise = otherwise
    }
}

extension ChangeSummary {
    /// More different values are a range.
    private static let mostValues = 3
    private static let longestValue = 200

    /// `197 gateways: + /advertise/txPowerDbm -12`
    func lines(colours: Bool, unicode: Bool) -> [String] {
        let lines =
            groups.flatMap { group -> [StyledLine] in
                guard group.values.count > Self.mostValues else {
                    return group.values.map { line(group, $0.names, $0.value.text) }
                }
                return [line(group, group.names, group.range)]
            }
            + otherwise.map { StyledLine("\($0.names.summed): no difference\($0.reason.clause)") }
        return lines.map { $0.text(width: .max, colours: colours, unicode: unicode) }
    }

    private func line(_ group: Group, _ names: [LayerName], _ value: String) -> StyledLine {
        var line = StyledLine("\(names.summed): ")
        let change = "\(group.isNew ? "+" : "-") \(group.pointer) \(value)"
        line.append(change.printable(limit: Self.longestValue), group.isNew ? .good : .bad)
        return line
    }
}

extension ChangeSummary.Group {
    /// The extremes of numbers; of other values, the first and the last.
    fileprivate var range: String {
        let integers = values.compactMap { value -> Int64? in
            if case .integer(let integer) = value.value { integer } else { nil }
        }
        let number = "(\(values.count.grouped) values)"
        if integers.count == values.count, let least = integers.min(), let most = integers.max() {
            return "\(least) … \(most) \(number)"
        }
        return [values.first, values.last].compactMap(\.self).map(\.value.text)
            .joined(separator: " … ") + " \(number)"
    }
}

extension [LayerName] {
    /// Few names; more are a number of sites or gateways.
    fileprivate var summed: String {
        guard count > 3, let layer = first?.layer else {
            return map { name in
                guard let site = name.site else { return "fleet" }
                return name.gateway.map { "\(site)/\($0)" } ?? site
            }.joined(separator: ", ")
        }
        return Primitives.count(count, layer.rawValue)
    }
}

extension DocumentRevision.Reason {
    /// Why a document without a difference is published, as the end of a sentence.
    var clause: String {
        switch self {
        case .laterVersion: ", because gateways know a later one"
        case .otherContent: ", because gateways have another one"
        case .restart: ", because its versions begin again"
        case .removal: ""
        }
    }
}
