import Contract
import JSON

extension JSON {
    /// The document after an assignment.
    func applying(_ assignment: Assignment) -> JSON {
        let path = assignment.path[...]
        if assignment.isLiteral { return setting(path, to: assignment.value) }
        if assignment.value == .null { return removing(path) }
        // From the innermost key outwards.
        let patch = path.reversed().reduce(assignment.value) { .object([.init($1, $0)]) }
        return merging(patch)
    }

    private func setting(_ path: ArraySlice<String>, to value: JSON) -> JSON {
        guard let key = path.first else { return value }
        let inner = (self[key] ?? .object([])).setting(path.dropFirst(), to: value)
        return replacing(key, by: inner)
    }

    /// Also removes sections that become empty: an empty `advertise` would switch advertising off.
    private func removing(_ path: ArraySlice<String>) -> JSON {
        guard let key = path.first, let inner = self[key] else { return self }
        guard path.count > 1 else { return without(key) }
        let rest = inner.removing(path.dropFirst())
        return rest == .object([]) && rest != inner ? without(key) : replacing(key, by: rest)
    }

    private func replacing(_ key: String, by value: JSON) -> JSON {
        guard case .object(var members) = self else { return .object([.init(key, value)]) }
        if let place = members.firstIndex(where: { $0.key.hasSameBytes(as: key) }) {
            members[place] = .init(key, value)
        } else {
            members.append(.init(key, value))
        }
        return .object(members)
    }
}

extension JSON {
    /// All faults of a document's sections, without its version.
    var faultsOfSections: [Fault] {
        do throws(Faults) {
            _ = try LayerDocument(LayerDocument(version: 1, patch: self).json)
            return []
        } catch {
            return error.list.map { $0.advised(in: self) }
        }
    }
}
