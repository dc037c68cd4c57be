import Configuration
import Contract
import Glibc

/// The settings in force when the agent starts: the local file, and the saved layers above it.
struct SavedLayers {
    let reconciler: SettingsReconciler
    /// `nil` without a state directory.
    let store: LayerStore?

    init(_ configuration: LocalConfiguration, log: Log) {
        let folder = StateDirectory.path(configured: configuration.stateDirectory) {
            getenv($0).map { String(cString: $0) }
        }
        store = folder.map { LayerStore(folder: $0, topics: configuration.topics) }
        if store == nil {
            log.warning("no state directory: layers are lost on exit")
        }
        reconciler = SettingsReconciler(
            local: configuration.lowestLayer, settings: configuration.settings,
            restored: store?.load(log: log) ?? Layers())
    }
}
