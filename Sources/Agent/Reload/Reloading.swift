import Configuration

/// The local file, read again when somebody asks for it, and what of it is in force.
package struct Reloading: Sendable {
    /// What the file says now.
    struct News {
        let change: Change
        /// To connect to in the place of those before; `nil` where neither they nor their files have changed.
        let brokers: BrokerList?
        /// Of brokers that can't be used, as little as before.
        let faults: [String]
        /// What should be mended.
        let warnings: [String]
    }

    let path: String
    private(set) var configuration: LocalConfiguration
    private var brokers: BrokerList
    /// Whether the radio's source is not the file's business, but the command line's.
    private let isSourceGiven: Bool

    init(
        path: String, configuration: LocalConfiguration, brokers: BrokerList, isSourceGiven: Bool
    ) {
        self.path = path
        self.configuration = configuration
        self.brokers = brokers
        self.isSourceGiven = isSourceGiven
    }

    /// Reads the file, and the files that it names; what differs is in force from then on.
    ///
    /// Brokers that could not be used before either, and are as they were in the file, don't matter while there are others.
    ///
    /// - Throws: a line for each fault; nothing has changed then.
    mutating func read() throws(ConfigurationError) -> News {
        var new = try LocalConfiguration.load(path: path, requiresBroker: true)
        if isSourceGiven { new.source = configuration.source }
        let change = Change(from: configuration, to: new)
        var remarks = BrokerList.Remarks()
        let brokers = BrokerList(reading: change.configuration, &remarks)
        let faults = remarks.faults + remarks.objections
        let known = self.brokers.faulty
        guard brokers.hasSound, brokers.faulty.allSatisfy(known.contains) else {
            throw ConfigurationError(lines: faults)
        }
        defer {
            configuration = change.configuration
            self.brokers = brokers
        }
        return News(
            change: change, brokers: brokers == self.brokers ? nil : brokers,
            faults: faults, warnings: remarks.warnings)
    }
}
