import Configuration
import Contract
import Glibc
import Logging
import Posix

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
