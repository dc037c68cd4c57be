import Messages

/// The local file: who this gateway is, where its broker is, and the lowest layer of what the topics can set.
package struct LocalConfiguration: Equatable, Sendable {
    /// Site, gateway and root.
    package var topics: Topics
    /// `nil` only where messages go to standard output.
    package var broker: BrokerSettings?
    package var source: RadioSource
    package var report: ReportSettings
    /// Identities followed in one window: a bound on memory, so no topic can set it.
    package var maxIdentities: Int
    package var filter: FilterSettings
    package var advertise: AdvertiseSettings
    package var outbox: OutboxSettings
    /// As the file has it; `StateDirectory` knows what comes in its place.
    package var stateDirectory: String?
    package var logLevel: LogLevel

    package init(
        topics: Topics, broker: BrokerSettings?, source: RadioSource = .usual,
        report: ReportSettings = ReportSettings(), maxIdentities: Int = 100_000,
        filter: FilterSettings = FilterSettings(),
        advertise: AdvertiseSettings = AdvertiseSettings(),
        outbox: OutboxSettings = OutboxSettings(), stateDirectory: String? = nil,
        logLevel: LogLevel = .info
    ) {
        self.topics = topics
        self.broker = broker
        self.source = source
        self.report = report
        self.maxIdentities = maxIdentities
        self.filter = filter
        self.advertise = advertise
        self.outbox = outbox
        self.stateDirectory = stateDirectory
        self.logLevel = logLevel
    }
}
