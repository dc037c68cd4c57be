import Configuration

/// What a configuration that is read again changes.
struct Change: Equatable {
    /// Keys, or sections, that differ from what is in force and can be taken over now.
    let taken: [String]
    /// Keys that wait for the next start.
    let waiting: [String]
    /// What is in force from now on.
    let configuration: LocalConfiguration

    init(from old: LocalConfiguration, to new: LocalConfiguration) {
        let different = LocalConfiguration.keys.flatMap { $0.differences(old, new) }
        var configuration = new
        for (_, key) in different where key.effect == .afterRestart {
            key.copy(&configuration, old)
        }
        self.configuration = configuration
        taken = different.filter { $0.key.effect == .onReload }.map(\.path)
        waiting = different.filter { $0.key.effect == .afterRestart }.map(\.path)
    }
}
