import Contract
import JSON
import Primitives
import Subscriber

/// The known versions of layer documents: those that the broker retains, and those that gateways report.
///
/// A broker keeps only the latest document of a layer. Earlier versions are known while a gateway has them in force.
struct LayerHistory {
    /// One version of a layer's document.
    struct Entry {
        let name: LayerName
        /// `nil` for a document without a valid version.
        let version: Int64?
        /// `nil` if no known message has the document.
        let document: RetainedDocument?
        /// Whether the broker retains it.
        let isRetained: Bool
        /// Another document of this version is on the broker.
        var isConflicting = false
        var running: [Running] = []
        /// The gateways that should have the retained document, but do not.
        var missing: [Missing] = []

        /// By the publisher's clock.
        var publishedAt: UnixTime? { isRetained ? document?.provenance.publishedAt : nil }

        /// The document before it; `nil` if it is unknown.
        var replaced: RetainedDocument? {
            isRetained ? document?.provenance.replaced.map { RetainedDocument($0) } : nil
        }

        /// The earliest known time at which a gateway had it in force.
        var earliest: UnixTime? { running.compactMap(\.since).min() }
    }

    struct Running {
        let gateway: GatewayName
        /// By the gateway's clock; `nil` if it is unknown.
        let since: UnixTime?
    }

    struct Missing {
        let gateway: GatewayName
        let result: GatewayResult
        /// The version in force; `nil` for none.
        let version: Int64?

        /// `pending` is an online gateway without an answer.
        var word: String {
            guard result.verdict == .silent else { return result.verdict.rawValue }
            return result.isOffline ? "offline" : "pending"
        }
    }

    /// The newest first; those of unknown time last.
    let entries: [Entry]
    /// The number of gateways that a document concerns, and that are known.
    let gateways: [LayerName: Int]

    /// - Parameter place: the documents that concern it, and its gateways.
    init(of place: LayerName, _ documents: [LayerName: RetainedDocument], _ roster: Roster) {
        let known = roster.gateways.filter { $0.value.isHeardOf && place.covers($0.key) }
        var names = Set(documents.keys.filter(place.concerns))
        for (gateway, state) in known {
            for layer in Topics.Layer.allCases where state.report?.versions[layer] != nil {
                names.insert(LayerName(layer, of: gateway))
            }
        }
        var entries: [Entry] = []
        var gateways: [LayerName: Int] = [:]
        for name in names {
            let concerned = known.filter { name.covers($0.key) }
            gateways[name] = concerned.count
            entries += Self.entries(of: name, documents[name], concerned)
        }
        self.entries = entries.sorted(by: Self.isNewer)
        self.gateways = gateways
    }

    private static func entries(
        of name: LayerName, _ retained: RetainedDocument?,
        _ gateways: [GatewayName: Roster.Gateway]
    ) -> [Entry] {
        var latest = retained.map {
            Entry(name: name, version: $0.version, document: $0, isRetained: true)
        }
        var others: [Entry] = []
        let layer = name.layer
        for (gateway, state) in gateways.sorted(by: { $0.key < $1.key }) {
            let inForce = state.report?.versions[layer]
            let running = Running(gateway: gateway, since: state.report?.since[layer])
            if let version = latest?.version {
                var digests = LayerDigests()
                digests[layer] = retained?.digest
                let result = GatewayResult(
                    of: state, expecting: [layer: version], digests: digests)
                guard result.verdict != .applied else {
                    latest?.running.append(running)
                    continue
                }
                latest?.missing.append(
                    Missing(gateway: gateway, result: result, version: inForce))
            }
            guard let inForce else { continue }
            let digest = state.report?.digests[layer]
            let index = others.firstIndex {
                $0.version == inForce && $0.document?.digest == digest
            }
            if let index {
                others[index].running.append(running)
                continue
            }
            let replaced = latest?.replaced
            let isReplaced = replaced?.digest == digest && digest != nil
            var entry = Entry(
                name: name, version: inForce, document: isReplaced ? replaced : nil,
                isRetained: false)
            entry.isConflicting = inForce == retained?.version
            entry.running = [running]
            others.append(entry)
        }
        return [latest].compactMap(\.self) + others
    }

    private static func isNewer(_ one: Entry, _ other: Entry) -> Bool {
        let times = [one, other].map { $0.publishedAt ?? $0.earliest }
        if times[0] != times[1] {
            guard let first = times[0] else { return false }
            return times[1].map { first > $0 } ?? true
        }
        let topics = [one, other].map { $0.name.topic(root: "") }
        if topics[0] != topics[1] { return topics[0] < topics[1] }
        return one.version ?? 0 > other.version ?? 0
    }
}

extension LayerName {
    /// The place of a gateway's layer.
    init(_ layer: Topics.Layer, of gateway: GatewayName) {
        switch layer {
        case .fleet: self.init()
        case .site: self.init(site: gateway.site)
        case .gateway: self.init(gateway)
        }
    }

    /// The place of a document; `nil` for other topics.
    init?(topic: String, root: String) {
        let suffix = "config/desired"
        guard topic.hasPrefix(root + "/"), topic.hasSuffix("/" + suffix) else { return nil }
        let names = topic.dropFirst(root.count + 1).dropLast(suffix.count)
            .split(separator: "/").map(String.init)
        guard names.count <= 2, names.allSatisfy(Topics.isName) else { return nil }
        self.init(site: names.first, gateway: names.count > 1 ? names[1] : nil)
    }

    /// Whether a document is of this place, of a place within it, or of a wider one.
    fileprivate func concerns(_ document: LayerName) -> Bool {
        (site == nil || document.site == nil || site == document.site)
            && (gateway == nil || document.gateway == nil || gateway == document.gateway)
    }
}

extension LayerHistory.Entry {
    /// An object for programs. Times are in milliseconds since the Unix epoch; an unknown value is `null`.
    func json(root: String) -> JSON {
        let sections = document?.sections
        let changes = replaced?.sections.flatMap { old in
            sections.map { Difference(from: old, to: $0).json }
        }
        return .object([
            .init("type", .string("version")), .init("layer", .string(name.layer.rawValue)),
            .init("topic", .string(name.topic(root: root))),
            .init("version", version.map { .integer($0) } ?? .null),
            .init("retained", .bool(isRetained)), .init("conflicting", .bool(isConflicting)),
            .init("publishedAt", publishedAt.orNull),
            .init("replaces", replaced?.version.map { .integer($0) } ?? .null),
            .init("changes", changes ?? .null), .init("settings", sections ?? .null),
            .init(
                "inForce",
                .array(
                    running.map { running in
                        .object(running.gateway.members + [.init("since", running.since.orNull)])
                    })),
            .init("missing", .array(missing.map(\.json))),
        ])
    }
}

extension LayerHistory.Missing {
    fileprivate var json: JSON {
        .object(
            gateway.members + [
                .init("verdict", .string(word)),
                .init("version", version.map { .integer($0) } ?? .null),
                .init("reasons", .array(result.reasons.map { .string($0) })),
            ])
    }
}

extension GatewayName {
    fileprivate var members: [JSON.Member] {
        [.init("site", .string(site)), .init("gateway", .string(id))]
    }
}

extension UnixTime? {
    fileprivate var orNull: JSON { map { .integer($0.milliseconds) } ?? .null }
}
