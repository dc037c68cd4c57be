import Configuration
import Contract
import Glibc

/// What is in force when the agent starts: the local file, and the layers that were saved over it.
struct SavedLayers {
    let reconciler: SettingsReconciler
    /// Where layers are saved; `nil` when nobody says where.
    let store: LayerStore?

    init(_ configuration: LocalConfiguration, log: Log) {
        let folder = StateDirectory.path(configured: configuration.stateDirectory) {
            getenv($0).map { String(cString: $0) }
        }
        store = folder.map { LayerStore(folder: $0, topics: configuration.topics) }
        if store == nil {
            log.warning("no state directory is known: layers will not outlast the agent")
        }
        reconciler = SettingsReconciler(
            local: configuration.lowestLayer, settings: configuration.settings,
            restored: store?.load(log: log) ?? Layers())
    }
}
