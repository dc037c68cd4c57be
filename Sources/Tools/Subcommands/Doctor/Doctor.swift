import Configuration
import Contract
import Diagnosis
import Glibc
import HomeAssistant
import MQTT
import Posix
import Session

/// Checks the gateway that it runs on, in the order of repair.
///
/// After a failure, the checks that depend on it are skipped: the output names causes only.
struct Doctor {
    /// The time of the radio scan.
    let seconds: Int
    let report: (Check) -> Void
    /// The running agent, if there is one.
    var agent: RunningAgent?
    /// The user of the agent.
    var account = Account.own
    /// The document for Home Assistant, if it is enabled.
    var home: HomeDiscovery?

    /// The user that the package creates.
    private static let accountName = "sightline"
    /// The state directory of the service (systemd.exec(5)).
    private static let serviceState = "/var/lib/sightline"

    /// Checks everything in the configuration at `path`.
    mutating func examine(_ path: String) {
        let configuration: LocalConfiguration
        do throws(ConfigurationError) {
            configuration = try LocalConfiguration.load(path: path, requiresBroker: true)
        } catch {
            let remedy =
                File.exists(path)
                ? ""
                : "; copy it from provision's folder of this gateway, or name another one with --config"
            for line in error.lines { report(Check("configuration", .wrong, line + remedy)) }
            return report(Check("all else", .skipped, "needs a valid configuration"))
        }
        let state = Self.stateDirectory(configuration)
        agent = RunningAgent(stateDirectory: state)
        account = agent?.account ?? Account.named(Self.accountName) ?? .own
        let topics = configuration.topics
        home = configuration.homeAssistant.map {
            HomeDiscovery(
                prefix: $0.discoveryPrefix, topics: topics, version: Version.current,
                trackers: $0.trackers)
        }
        report(.configuration(path, topics, failure: account.failure(of: .read, at: path)))
        let brokers = [configuration.broker].compactMap(\.self) + configuration.alternatives
        let unusable = examineFiles(of: brokers)
        report(.agent(agent))
        examineRadio(configuration)
        report(
            .clock(
                error: Clocks.wallClockError,
                consequence: "messages have the clock \"unsynced\""))
        for (index, broker) in brokers.enumerated() {
            examineBroker(
                broker, section: index == 0 ? "mqtt" : "mqtt.alternatives[\(index - 1)]",
                topics: topics, isUsable: !unusable.contains { broker.names($0) })
        }
        examineDisk(configuration, state)
        if let path = configuration.metricsPath { examineMetrics(path) }
    }

    private static func stateDirectory(_ configuration: LocalConfiguration) -> String? {
        StateDirectory.path(configured: configuration.stateDirectory) { name in
            // Only the service has this variable from systemd.
            if name == "STATE_DIRECTORY", File.exists(serviceState) { return serviceState }
            return getenv(name).map { String(cString: $0) }
        }
    }

    /// - Returns: the unusable files.
    private func examineFiles(of brokers: [BrokerSettings]) -> Set<String> {
        var seen: Set<String> = []
        var unusable: Set<String> = []
        for (purpose, path) in brokers.flatMap(\.files) where seen.insert(path).inserted {
            let check = Check.file(
                purpose, path, of: .agent, failure: account.failure(of: .read, at: path))
            if check.outcome == .wrong { unusable.insert(path) }
            if check.outcome != .ok { report(check) }
        }
        if unusable.isEmpty {
            report(
                Check(
                    "files", .ok, seen.isEmpty ? "the configuration names none" : "all are readable"
                ))
        }
        return unusable
    }
}

extension Doctor {
    /// - Parameters:
    ///   - section: of the broker in the configuration.
    ///   - isUsable: whether all its files are readable.
    func examineBroker(
        _ broker: BrokerSettings, section: String, topics: Topics, isUsable: Bool
    ) {
        let examination = BrokerExamination(broker, section: section, report: report)
        let settings = examination.reach(isUsable: isUsable) { () throws(PasswordFile.Unusable) in
            try broker.connection(for: topics)
        }
        guard let settings else { return }
        guard agent == nil else { return examination.add(.loginBesideAgent) }
        let layers = Topics.Layer.allCases.map { topics.desired($0) }
        let status = topics.topic(.status)
        let written =
            Topics.Kind.allCases.filter { $0 != .trackers || home != nil }
            .map { topics.topic($0) } + [home?.topic].compactMap(\.self)
        _ = examination.rights(
            settings, reading: layers + [status, home?.topic].compactMap(\.self),
            required: layers, writing: written, status: status
        ) { observation in
            let present = observation.documents[status].flatMap { try? StatusMessage(decoding: $0) }
            return .session(present, hasRival: observation.hasRival, topics)
        }
    }
}
