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
        let different = ReloadKey.all.filter { $0.differs(old, new) }
        var configuration = new
        for key in different { key.keep(&configuration, old) }
        self.configuration = configuration
        taken = different.filter { $0.effect == .atOnce }.map(\.name)
        waiting = different.filter { $0.effect == .afterRestart }.map(\.name)
    }
}
