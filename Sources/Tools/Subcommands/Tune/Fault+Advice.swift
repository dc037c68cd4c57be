import Configuration
import Contract
import JSON

extension Fault {
    /// The same fault of a document's sections, with advice for the operator.
    func advised(in sections: JSON) -> Fault {
        Fault(pointer, code, advisedMessage(in: sections))
    }

    private func advisedMessage(in sections: JSON) -> String {
        let path = pointer.description.split(separator: "/").map(String.init)
        switch code {
        case .unknownKey where Self.localKeys.contains(path.joined(separator: ".")):
            return "\(path.joined(separator: ".")) can be set only in the gateway's own file"
        case .unknownKey:
            guard path.count == 1, let key = path.first,
                let section = GatewaySettings.keys.first(where: { section in
                    section.members?.contains { $0.name == key } ?? false
                })
            else { return message }
            return "\(key.quotedForPeople) is no key that is known here;"
                + " did you mean \(section.name).\(key)?"
        case .wrongType:
            let kind = " not a string"
            guard message.hasSuffix(kind), case .string(let text)? = sections.value(at: path)
            else { return message }
            let sentence = message.dropLast(kind.count) + " not \(text.quotedForPeople)"
            return path == ["filter", "uuids"]
                ? "\(sentence), such as filter.uuids='[\"…\"]'" : String(sentence)
        default: return message
        }
    }

    /// The keys of the gateway's own file, such as `report.maxIdentities`.
    private static let localKeys = Set(LocalConfiguration.keys.flatMap { $0.paths() })
}

extension JSON {
    /// The value at a path of keys. A key that contains a slash is not found.
    fileprivate func value(at path: [String]) -> JSON? {
        var value: JSON? = self
        for key in path { value = value?[key] }
        return value
    }
}
