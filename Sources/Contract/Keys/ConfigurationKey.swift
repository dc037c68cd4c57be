import JSON

/// When a new value of a key takes effect.
package enum KeyEffect: Sendable {
    /// When the agent reads the file again.
    case onReload
    case afterRestart
}

/// Everything that Sightline knows about one key of the configuration, or about a section and its keys.
///
/// Reading, writing, reload, the JSON schemas, the example, the man page and completions all derive from it.
/// A default is the value that `Root` begins with.
package struct ConfigurationKey<Root>: Sendable {
    package let name: String
    /// Sentences for the reader of the example.
    package let help: String
    package private(set) var effect = KeyEffect.onReload
    package private(set) var isRequired = false
    /// A value to show where there is no default.
    package private(set) var example: JSON?
    /// The values in words; empty where the help names them.
    package private(set) var limits = ""
    /// A value's schema; of a section, the rules between its keys.
    package private(set) var schema = JSON.object([])
    /// A section's keys; `nil` for a value.
    package private(set) var members: [ConfigurationKey]?

    /// Reads the member; an absent one leaves the default.
    package private(set) var read: @Sendable (inout ObjectReader, inout Root) -> Void
    /// The value; `nil` where there is none.
    package private(set) var json: @Sendable (Root) -> JSON?
    /// Whether two values differ; of a section, whether only one of them has it.
    private var differs: @Sendable (Root, Root) -> Bool
    /// Puts the value of the second into the first.
    package private(set) var copy: @Sendable (inout Root, Root) -> Void = { _, _ in }
}

// MARK: Declarations

extension ConfigurationKey {
    /// A key that has a default, or must be present.
    package static func value<Value>(
        _ name: String, _ path: WritableKeyPath<Root, Value> & Sendable, _ type: KeyType<Value>,
        isRequired: Bool = false, effect: KeyEffect = .onReload, example: JSON? = nil, help: String
    ) -> ConfigurationKey {
        var key = ConfigurationKey(
            name: name, help: help,
            read: { reader, root in
                let value = type.read(&reader, name)
                if let value = isRequired ? reader.required(name, value) : value {
                    root[keyPath: path] = value
                }
            },
            json: { type.json($0[keyPath: path]) },
            differs: { $0[keyPath: path] != $1[keyPath: path] })
        key.copy = { $0[keyPath: path] = $1[keyPath: path] }
        key.effect = effect
        key.isRequired = isRequired
        key.example = example
        key.limits = type.limits
        key.schema = type.schema
        return key
    }

    /// A key that may have no value.
    ///
    /// - Parameter written: the value that is reported, where it depends on other keys.
    package static func optional<Value>(
        _ name: String, _ path: WritableKeyPath<Root, Value?> & Sendable, _ type: KeyType<Value>,
        effect: KeyEffect = .onReload, example: JSON, written: (@Sendable (Root) -> JSON?)? = nil,
        help: String
    ) -> ConfigurationKey {
        var key = ConfigurationKey(
            name: name, help: help,
            read: { reader, root in
                if let value = type.read(&reader, name) { root[keyPath: path] = value }
            },
            json: written ?? { $0[keyPath: path].map(type.json) },
            differs: { $0[keyPath: path] != $1[keyPath: path] })
        key.copy = { $0[keyPath: path] = $1[keyPath: path] }
        key.effect = effect
        key.example = example
        key.limits = type.limits
        key.schema = type.schema
        return key
    }

    /// A section that is always there.
    ///
    /// - Parameter more: keys of the section that belong to the whole.
    package static func section<Section: ConfigurationSection>(
        _ name: String, _ path: WritableKeyPath<Root, Section> & Sendable,
        more: [ConfigurationKey] = []
    ) -> ConfigurationKey {
        group(
            name, Section.keys.map { $0.lifted(to: path) } + more, rules: Section.rules,
            help: Section.help
        ) { reader, root in
            root[keyPath: path].complete(&reader)
        }
    }

    /// A section that may be absent.
    package static func optionalSection<Section: ConfigurationSection>(
        _ name: String, _ path: WritableKeyPath<Root, Section?> & Sendable,
        more: [ConfigurationKey] = []
    ) -> ConfigurationKey {
        var key = group(
            name, Section.keys.map { $0.lifted(to: path) } + more, rules: Section.rules,
            help: Section.help
        ) { reader, root in
            var section = root[keyPath: path] ?? Section()
            section.complete(&reader)
            root[keyPath: path] = section
        }
        key.differs = { ($0[keyPath: path] == nil) != ($1[keyPath: path] == nil) }
        let json = key.json
        key.json = { $0[keyPath: path] == nil ? nil : json($0) }
        return key
    }

    /// Keys of the whole that the file has in a section.
    package static func group(
        _ name: String, _ members: [ConfigurationKey], isRequired: Bool = false,
        rules: JSON = .object([]), help: String,
        complete: @escaping @Sendable (inout ObjectReader, inout Root) -> Void = { _, _ in }
    ) -> ConfigurationKey {
        var key = ConfigurationKey(
            name: name, help: help,
            read: { reader, root in
                let isRead: Bool? = reader.optionalObject(name) { section in
                    members.read(&section, &root)
                    complete(&section, &root)
                    return true
                }
                if isRequired { _ = reader.required(name, isRead) }
            },
            json: { members.json($0) }, differs: { _, _ in false })
        key.isRequired = isRequired
        key.schema = rules
        key.members = members
        return key
    }
}

// MARK: Use

extension ConfigurationKey {
    /// The same key of a value that contains this one.
    package func lifted<Whole>(
        to path: WritableKeyPath<Whole, Root> & Sendable
    ) -> ConfigurationKey<Whole> {
        lifted(
            members: members?.map { $0.lifted(to: path) },
            read: { [read] reader, whole in read(&reader, &whole[keyPath: path]) },
            json: { [json] in json($0[keyPath: path]) },
            differs: { [differs] in differs($0[keyPath: path], $1[keyPath: path]) },
            copy: { [copy] in copy(&$0[keyPath: path], $1[keyPath: path]) })
    }

    /// The same where the value may be absent.
    func lifted<Whole>(
        to path: WritableKeyPath<Whole, Root?> & Sendable
    ) -> ConfigurationKey<Whole> where Root: ConfigurationSection {
        lifted(
            members: members?.map { $0.lifted(to: path) },
            read: { [read] reader, whole in
                var section = whole[keyPath: path] ?? Root()
                read(&reader, &section)
                whole[keyPath: path] = section
            },
            json: { [json] in $0[keyPath: path].flatMap(json) },
            differs: { [differs] in
                guard let old = $0[keyPath: path], let new = $1[keyPath: path] else { return false }
                return differs(old, new)
            },
            copy: { [copy] in
                guard var section = $0[keyPath: path], let old = $1[keyPath: path] else { return }
                copy(&section, old)
                $0[keyPath: path] = section
            })
    }

    private func lifted<Whole>(
        members: [ConfigurationKey<Whole>]?,
        read: @escaping @Sendable (inout ObjectReader, inout Whole) -> Void,
        json: @escaping @Sendable (Whole) -> JSON?,
        differs: @escaping @Sendable (Whole, Whole) -> Bool,
        copy: @escaping @Sendable (inout Whole, Whole) -> Void
    ) -> ConfigurationKey<Whole> {
        ConfigurationKey<Whole>(
            name: name, help: help, effect: effect,
            isRequired: isRequired, example: example, limits: limits, schema: schema,
            members: members, read: read, json: json, differs: differs, copy: copy)
    }

    /// The keys that differ, each with its path; a section that only one has counts as one key.
    package func differences(
        _ old: Root, _ new: Root, in place: String = ""
    ) -> [(path: String, key: ConfigurationKey)] {
        let path = place + name
        guard !differs(old, new), let members else {
            return differs(old, new) ? [(path, self)] : []
        }
        return members.flatMap { $0.differences(old, new, in: path + ".") }
    }

    /// The paths of all values, such as `report.windowMs`.
    package func paths(in place: String = "") -> [String] {
        members.map { $0.flatMap { $0.paths(in: place + name + ".") } } ?? [place + name]
    }
}

extension Array {
    /// Reads the members of an object.
    package func read<Root>(
        _ reader: inout ObjectReader, _ root: inout Root
    ) where Element == ConfigurationKey<Root> {
        for key in self { key.read(&reader, &root) }
    }

    /// An object of all keys that have a value.
    package func json<Root>(_ root: Root) -> JSON where Element == ConfigurationKey<Root> {
        .object(compactMap { key in key.json(root).map { .init(key.name, $0) } })
    }
}
