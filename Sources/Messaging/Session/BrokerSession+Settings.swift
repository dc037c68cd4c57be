import MQTT
import Posix
import Primitives

extension BrokerSession {
    /// The brokers, and what a session subscribes to on each connection.
    package struct Settings: Sendable {
        /// The preferred broker.
        package var broker: BrokerEndpoint
        /// The other brokers, in the order of attempts.
        package var alternatives: [BrokerEndpoint] = []
        /// The waits between attempts.
        package var backoff = Backoff()
        /// The longest wait after another client took over the connection, a quarter more or less.
        package var takeoverPause = Reconnect.takeoverPause
        /// After this number of unanswered attempts in a row, other versions are tried, and no will.
        package var patience = Reconnect.patience
        package var resolver = Lookup.system
        /// The limit for a name lookup. Then the next broker is tried.
        package var lookupLimit = Duration.seconds(20)
        /// The filters that each connection subscribes to.
        package var filters: [String] = []
        /// Those that the broker may refuse.
        package var dispensable: Set<String> = []
        /// The highest quality of service of delivered messages.
        package var quality = QualityOfService.atLeastOnce
        package var will: Will? { didSet { hasWill = will != nil } }
        /// Whether the program has a will, this one or one for each attempt.
        package var hasWill = false
        package var rivalHints = RivalHints.credentials

        package init(_ broker: BrokerEndpoint) { self.broker = broker }

        /// For a program that reads from one broker, and that a person waits for.
        package init(
            _ connection: ConnectionSettings, _ choice: Reconnect.Choice = .automatic,
            filters: [String], dispensable: Set<String> = [],
            quality: QualityOfService = .atLeastOnce
        ) {
            self.init(BrokerEndpoint(connection, choice))
            self.filters = filters
            self.dispensable = dispensable
            self.quality = quality
            patience = 1
        }

        /// Uses client identifiers of a capture's own: a broker would disconnect the gateway that has the same one.
        package mutating func identifyReplay() {
            broker.connection.clientID += Self.replaySuffix
            for index in alternatives.indices {
                alternatives[index].connection.clientID += Self.replaySuffix
            }
        }

        private static let replaySuffix = "/replay"

        var reconnect: Reconnect {
            Reconnect(
                broker.protocolChoice, alternatives: alternatives.map(\.protocolChoice),
                backoff: backoff, takeoverPause: takeoverPause, patience: patience,
                hasWill: hasWill)
        }
    }
}
