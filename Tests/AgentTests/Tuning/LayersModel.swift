import Contract
import JSON

/// A model of layers in its simplest form: dictionaries, without rate limits and radio.
struct LayersModel {
    /// A JSON value of a document.
    indirect enum Value: Equatable {
        case null
        /// The text of a value that is not an object.
        case leaf(String)
        case object([String: Value])

        func patched(by patch: Value) -> Value {
            guard case .object(let changes) = patch else { return patch }
            var members: [String: Value] = [:]
            if case .object(let own) = self { members = own }
            for (key, change) in changes {
                members[key] = change == .null ? nil : (members[key] ?? .null).patched(by: change)
            }
            return .object(members)
        }

        subscript(section: String, key: String) -> String? {
            guard case .object(let sections) = self,
                case .object(let members)? = sections[section],
                case .leaf(let text)? = members[key]
            else { return nil }
            return text
        }
    }

    struct Document: Equatable {
        let version: Int64
        let patch: Value
    }

    /// A message of a layer.
    enum Arrival {
        case document(Document)
        case wrong
        case removal
    }

    static let defaults: [(section: String, key: String, text: String?)] = [
        ("advertise", "uuid", nil), ("advertise", "major", nil), ("advertise", "minor", nil),
        ("advertise", "formats", "[\"ibeacon\"]"), ("advertise", "measuredPower", "-59"),
        ("advertise", "intervalMs", "100"), ("advertise", "txPowerDbm", nil),
        ("advertise", "keepOnExit", "false"),
        ("report", "windowMs", "1000"), ("report", "maxSilenceMs", "10000"),
        ("report", "maxSightingsPerMessage", "500"), ("report", "maxSightingsPerWindow", "0"),
        ("filter", "formats", "[\"ibeacon\"]"), ("filter", "uuids", "[]"),
        ("filter", "majors", "[]"), ("filter", "namespaces", "[]"),
    ]

    private(set) var taken: [Topics.Layer: Document] = [:]
    private var held: [(layer: Topics.Layer, document: Document?)] = []
    private var wrong: Set<Topics.Layer> = []

    var isApplied: Bool { held.isEmpty && wrong.isEmpty }

    mutating func receive(_ arrival: Arrival, of layer: Topics.Layer) {
        held.removeAll { $0.layer == layer }
        wrong.remove(layer)
        switch arrival {
        case .wrong: wrong.insert(layer)
        case .removal:
            if taken[layer] != nil { held.append((layer, nil)) }
        case .document(let document):
            if document.version > taken[layer]?.version ?? 0 {
                held.append((layer, document))
            } else if let present = taken[layer], present.version == document.version,
                present != document
            {
                wrong.insert(layer)
            }
        }
        while takeSome() {}
    }

    /// The agent restarts with the layers in force.
    mutating func restart() {
        held = []
        wrong = []
    }

    /// The effective settings, by section and key.
    var effective: [String: String] {
        let merged = Self.merged(taken)
        var all: [String: String] = [:]
        for (section, key, text) in Self.defaults {
            all["\(section).\(key)"] = merged[section, key] ?? text
        }
        guard case .object(let sections) = merged, sections["advertise"] != nil else {
            for key in all.keys where key.hasPrefix("advertise.") { all[key] = nil }
            all["advertise.enabled"] = "false"
            return all
        }
        let isWhole = ["uuid", "major", "minor"].allSatisfy { merged["advertise", $0] != nil }
        let isEnabled = isWhole && merged["advertise", "enabled"] != "false"
        all["advertise.enabled"] = isEnabled ? "true" : "false"
        return all
    }

    /// The smallest valid group, the earliest first.
    private mutating func takeSome() -> Bool {
        for size in 1...3 {
            for mask in 1..<8 where mask.nonzeroBitCount == size {
                let group = held.indices.filter { mask >> $0 & 1 == 1 }
                guard group.count == size else { continue }
                var candidate = taken
                for index in group { candidate[held[index].layer] = held[index].document }
                guard Self.makesSense(candidate) else { continue }
                taken = candidate
                for index in group.reversed() { held.remove(at: index) }
                return true
            }
        }
        return false
    }

    private static func merged(_ documents: [Topics.Layer: Document]) -> Value {
        [Topics.Layer.fleet, .site, .gateway].reduce(.object([:])) { value, layer in
            documents[layer].map { value.patched(by: $0.patch) } ?? value
        }
    }

    private static func makesSense(_ documents: [Topics.Layer: Document]) -> Bool {
        let all = merged(documents)
        return all["advertise", "enabled"] != "true"
            || ["uuid", "major", "minor"].allSatisfy { all["advertise", $0] != nil }
    }
}
