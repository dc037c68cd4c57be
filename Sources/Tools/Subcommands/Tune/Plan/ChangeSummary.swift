import Contract
import JSON
import Primitives

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
