import Configuration

/// The configuration file, and the configuration in force.
package struct ConfigurationFile: Sendable {
    /// The result of reading the file again.
    struct Update {
        /// The file's bytes.
        let document: [UInt8]
        let change: ConfigurationChange
        /// The configuration before.
        let previous: LocalConfiguration
        /// The brokers to use; `nil` if neither they nor their files have changed.
        let brokers: BrokerList?
        /// Brokers that stay unusable.
        let faults: [String]
        let warnings: [String]

        /// The configuration in force from now on.
        var configuration: LocalConfiguration { change.configuration }

        /// Whether the file names other brokers, or the same ones with other settings.
        var changesBrokers: Bool {
            configuration.broker != previous.broker
                || configuration.alternatives != previous.alternatives
        }
    }

    let path: String
    private(set) var configuration: LocalConfiguration
    private var brokers: BrokerList
    /// Whether the command line names the radio source, so that the file's is ignored.
    private let isSourceGiven: Bool

    init(
        path: String, configuration: LocalConfiguration, brokers: BrokerList, isSourceGiven: Bool
    ) {
        self.path = path
        self.configuration = configuration
        self.brokers = brokers
        self.isSourceGiven = isSourceGiven
    }

    /// Reads the file and the files that it names. The result is in force from then on.
    ///
    /// A broker that was unusable before, and is unchanged in the file, is no fault while another broker is usable.
    ///
    /// - Throws: a line for each fault. Nothing has changed then.
    mutating func read() throws(ConfigurationError) -> Update {
        let document = try LocalConfiguration.read(path: path)
        var new = try LocalConfiguration(parsing: document, of: path, requiresBroker: true)
        if isSourceGiven { new.source = configuration.source }
        let change = ConfigurationChange(from: configuration, to: new)
        var notes = BrokerList.Notes()
        let brokers = BrokerList(reading: change.configuration, &notes)
        let faults = notes.passwordFaults + notes.certificateFaults
        let known = self.brokers.faulty
        guard brokers.hasUsable, brokers.faulty.allSatisfy(known.contains) else {
            throw ConfigurationError(lines: faults)
        }
        defer {
            configuration = change.configuration
            self.brokers = brokers
        }
        return Update(
            document: document, change: change, previous: configuration,
            brokers: brokers == self.brokers ? nil : brokers, faults: faults,
            warnings: notes.warnings)
    }
}

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
