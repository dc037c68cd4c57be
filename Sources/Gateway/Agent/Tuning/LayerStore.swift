import Configuration
import Contract
import Glibc
import JSON
import Logging
import Posix

/// The file that holds the layers in force, for a start without a broker.
package struct LayerStore: Sendable {
    package let path: String
    private let topics: Topics

    private enum Key {
        static let format = "v"
        static let root = "root"
        static let site = "site"
        static let gateway = "gateway"
        static let layers = "layers"
        static let since = "since"
    }

    /// Three documents and their envelope; escaping can make strings longer.
    private static let maxBytes = 32 * LayerDocument.maxBytes

    /// - Parameter folder: the state directory. `save` creates it.
    package init(folder: String, topics: Topics) {
        path = folder + "/layers.json"
        self.topics = topics
    }

    /// Reads the saved layers. A damaged file has none; of another gateway's layers, the shared ones remain.
    package func load(log: Log) -> DatedLayers {
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try File.contents(of: path, maxBytes: Self.maxBytes)
        } catch {
            if error != .noSuchFile {
                log.error(
                    "can't read the saved layers; starting with the local file only",
                    ["file": path, "reason": error])
            }
            return DatedLayers()
        }
        do throws(Faults) {
            return try layers(parsing: bytes, log)
        } catch {
            setAside(error, log)
            return DatedLayers()
        }
    }

    /// The file's bytes.
    package func encoded(_ layers: DatedLayers) -> [UInt8] {
        let members = Topics.Layer.allCases.compactMap { layer in
            layers.documents[layer].map { JSON.Member(layer.rawValue, $0.json) }
        }
        let times = Topics.Layer.allCases.compactMap { layer in
            layers.since[layer].map { JSON.Member(layer.rawValue, .integer($0.milliseconds)) }
        }
        let json = JSON.object([
            .init(Key.format, .integer(1)),
            .init(Key.root, .string(topics.root)),
            .init(Key.site, .string(topics.site)),
            .init(Key.gateway, .string(topics.gateway)),
            .init(Key.layers, .object(members)),
            .init(Key.since, .object(times)),
        ])
        return Array((json.text + "\n").utf8)
    }

    /// Replaces the file, atomically.
    package func save(_ layers: DatedLayers) throws(Errno) {
        let bytes = encoded(layers)
        do throws(Errno) {
            try File.replace(path, with: bytes)
        } catch {
            guard error == .noSuchFile, let slash = path.lastIndex(of: "/") else { throw error }
            try File.makeFolders(String(path[..<slash]))
            try File.replace(path, with: bytes)
        }
    }

    /// The layers of the file's bytes that apply to this gateway.
    func layers(parsing bytes: [UInt8], _ log: Log) throws(Faults) -> DatedLayers {
        try ObjectReader.decode(parsing: bytes, maxBytes: Self.maxBytes) { reader in
            _ = reader.integer(Key.format, in: 1...1)
            let root = reader.string(Key.root)
            let site = reader.string(Key.site)
            let gateway = reader.string(Key.gateway)
            let layers = reader.object(Key.layers) { reader in
                var layers = Layers()
                for layer in Topics.Layer.allCases { layers[layer] = reader.document(layer) }
                return layers
            }
            // A file of an agent before version 0.2 has none.
            let since = reader.optionalObject(Key.since) { LayerTimes(from: &$0) }
            guard var layers else { return nil }
            // The layers of another fleet, site or gateway do not apply to this one.
            if root != topics.root { layers.fleet = nil }
            if root != topics.root || site != topics.site { layers.site = nil }
            if root != topics.root || site != topics.site || gateway != topics.gateway {
                layers.gateway = nil
                log.warning(
                    "the saved layers belong to another gateway; keeping the layers that still apply",
                    ["file": path, "site": site, "gateway": gateway])
            }
            return DatedLayers(layers, since: since ?? LayerTimes())
        }
    }

    private func setAside(_ faults: Faults, _ log: Log) {
        let fault = faults.list.first
        let damaged = path + ".damaged"
        do throws(Errno) {
            try File.rename(path, to: damaged)
            log.error(
                "the saved layers are corrupt; file renamed, starting with the local file only",
                ["file": damaged, "reason": fault?.message ?? ""])
        } catch {
            log.error(
                "the saved layers are corrupt; starting with the local file only",
                ["file": path, "reason": fault?.message ?? "", "rename": error])
        }
    }
}

extension ObjectReader {
    /// A layer's document; `nil` if it is absent or invalid. Notes the faults of an invalid one.
    fileprivate mutating func document(_ layer: Topics.Layer) -> LayerDocument? {
        guard let json = json(layer.rawValue) else { return nil }
        do throws(Faults) {
            return try LayerDocument(json)
        } catch {
            for fault in error.list {
                note(layer.rawValue, fault.code, "\(fault.pointer): \(fault.message)")
            }
            return nil
        }
    }
}

/// The documents in force, and since when each one is.
package struct DatedLayers: Equatable, Sendable {
    package let documents: Layers
    /// `nil` for a layer without a document, or if the wall clock was not set when it came into force.
    package private(set) var since: LayerTimes

    package init(_ documents: Layers = Layers(), since: LayerTimes = LayerTimes()) {
        self.documents = documents
        self.since = LayerTimes()
        for layer in Topics.Layer.allCases where documents[layer] != nil {
            self.since[layer] = since[layer]
        }
    }
}

/// The configuration layers when the agent starts, or when its uplink starts again.
struct SavedLayers {
    let layers: DatedLayers
    /// `nil` without a state directory.
    let store: LayerStore?
    private let configuration: LocalConfiguration

    /// Reads the saved layers.
    init(_ configuration: LocalConfiguration, log: Log) {
        store = Self.store(of: configuration)
        if store == nil {
            log.warning("no state directory: layers are lost on exit")
        }
        layers = store?.load(log: log) ?? DatedLayers()
        self.configuration = configuration
    }

    /// - Parameter bytes: the layers in force (`bytes` of the radio's process).
    init(_ configuration: LocalConfiguration, _ bytes: [UInt8], log: Log) {
        store = Self.store(of: configuration)
        layers = (try? Self.coder(configuration).layers(parsing: bytes, log)) ?? DatedLayers()
        self.configuration = configuration
    }

    /// The layers for another process.
    var bytes: [UInt8] { Self.coder(configuration).encoded(layers) }

    /// - Parameter firstRequest: the number of the first request to the radio.
    func reconciler(firstRequest: UInt64 = 1) -> SettingsReconciler {
        SettingsReconciler(
            local: configuration.lowestLayer, settings: configuration.settings, restored: layers,
            firstRequest: firstRequest)
    }

    private static func coder(_ configuration: LocalConfiguration) -> LayerStore {
        LayerStore(folder: "", topics: configuration.topics)
    }

    private static func store(of configuration: LocalConfiguration) -> LayerStore? {
        let folder = StateDirectory.path(configured: configuration.stateDirectory) {
            getenv($0).map { String(cString: $0) }
        }
        return folder.map { LayerStore(folder: $0, topics: configuration.topics) }
    }
}
