import Configuration

/// The difference between the configuration in force and a new one.
struct ConfigurationChange: Equatable {
    /// The keys or sections that change now.
    let applied: [String]
    /// The keys that change at the next start.
    let pending: [String]
    /// The configuration in force from now on: the new one, with the old values of pending keys.
    let configuration: LocalConfiguration

    init(from old: LocalConfiguration, to new: LocalConfiguration) {
        let different = LocalConfiguration.keys.flatMap { $0.differences(old, new) }
        var configuration = new
        for (_, key) in different where key.effect == .afterRestart {
            key.copy(&configuration, old)
        }
        self.configuration = configuration
        applied = different.filter { $0.key.effect == .onReload }.map(\.path)
        pending = different.filter { $0.key.effect == .afterRestart }.map(\.path)
    }
}
