import Configuration
import Contract
import Glibc
import HomeAssistant
import Posix

/// An examination of the gateway that it runs on, in the order in which somebody would mend it.
///
/// Where one thing is wrong, what depends on it is left out: only causes are named.
struct Doctor {
    /// How long to listen to the radio.
    let seconds: Int
    let report: (Check) -> Void
    /// What is known of the agent that may be running.
    var agent: RunningAgent?
    /// Who the agent is, as far as it is known.
    var account = Account.own
    /// What Home Assistant is shown, if it is.
    var home: HomeDiscovery?

    /// The agent's name among the users of the machine, where its package has made one.
    private static let accountName = "sightline"
    /// The state directory of the service (systemd.exec(5)).
    private static let serviceState = "/var/lib/sightline"

    init(seconds: Int, report: @escaping (Check) -> Void) {
        self.seconds = seconds
        self.report = report
    }

    /// Looks at everything that the configuration at `path` speaks of.
    mutating func examine(_ path: String) {
        let configuration: LocalConfiguration
        do throws(ConfigurationError) {
            configuration = try LocalConfiguration.load(path: path, requiresBroker: true)
        } catch {
            for line in error.lines { report(Check("configuration", .wrong, line)) }
            return report(Check("all else", .skipped, "needs a configuration without faults"))
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
        report(.configuration(path, topics, objection: account.objection(to: .read, at: path)))
        let brokers = [configuration.broker].compactMap(\.self) + configuration.alternatives
        let unusable = examineFiles(of: brokers)
        report(.agent(agent))
        examineRadio(configuration)
        report(.clock(error: Clocks.wallClockError))
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
            // Systemd tells the service alone.
            if name == "STATE_DIRECTORY", File.exists(serviceState) { return serviceState }
            return getenv(name).map { String(cString: $0) }
        }
    }

    /// - Returns: the files that can't be used.
    private func examineFiles(of brokers: [BrokerSettings]) -> Set<String> {
        var seen: Set<String> = []
        var unusable: Set<String> = []
        for (purpose, path) in brokers.flatMap(\.files) where seen.insert(path).inserted {
            let check = Check.file(purpose, path, objection: account.objection(to: .read, at: path))
            if check.outcome == .wrong { unusable.insert(path) }
            if check.outcome != .ok { report(check) }
        }
        if unusable.isEmpty {
            report(Check("files", .ok, seen.isEmpty ? "none are named" : "all can be read"))
        }
        return unusable
    }
}

extension BrokerSettings {
    /// The files that the section names, each with what it is.
    var files: [(purpose: String, path: String)] {
        let all = [
            ("password", passwordFile), ("CA file", tls?.caFile),
            ("certificate", tls?.certFile), ("key", tls?.keyFile),
        ]
        return all.compactMap { purpose, path in path.map { (purpose, $0) } }
    }

    func names(_ file: String) -> Bool { files.contains { $0.path == file } }
}
