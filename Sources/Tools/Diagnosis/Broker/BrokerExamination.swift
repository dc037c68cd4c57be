import Configuration
import Glibc
import MQTT
import Posix
import Primitives
import Session

/// Connects to a broker as a program does, step by step, until a step fails.
package struct BrokerExamination {
    private let broker: BrokerSettings
    /// Of the broker in the configuration.
    private let section: String
    private let isIsolated: Bool
    private let report: (Check) -> Void

    /// The time for each step.
    private static let timeoutSeconds = 10

    /// - Parameter isIsolated: whether this program's file can hold connections in a process of its own.
    package init(
        _ broker: BrokerSettings, section: String, isIsolated: Bool = true,
        report: @escaping (Check) -> Void
    ) {
        self.broker = broker
        self.section = section
        self.isIsolated = isIsolated
        self.report = report
    }

    /// Checks name, port, files and TLS.
    ///
    /// - Parameters:
    ///   - isUsable: whether all files of the section are readable.
    ///   - connection: the settings and a warning.
    /// - Returns: the settings for the login under an identifier of their own; `nil` after a failure.
    package func reach(
        isUsable: Bool,
        _ connection: () throws(PasswordFile.Unusable) -> (
            settings: ConnectionSettings, warning: String?
        )
    ) -> ConnectionSettings? {
        // The libraries write to connections that the broker has closed.
        signal(SIGPIPE, SIG_IGN)
        let name = Check.name(
            broker.host, addresses: Sockets.addresses(of: broker.host), section: section)
        add(name)
        guard name.outcome == .ok else { return skip("port") }
        if let error = connectError {
            add(.port(error, section: section))
            return skip("login")
        }
        add(.port(nil, section: section))
        guard isUsable else { return skip("login") }
        var settings: ConnectionSettings
        do throws(PasswordFile.Unusable) {
            let (made, warning) = try connection()
            if let warning { add(Check("login", .warning, warning)) }
            settings = made
        } catch {
            add(Check("login", .wrong, error.description))
            return skip("publish")
        }
        // A program elsewhere with this name keeps its connection, unless the broker binds identifiers to users.
        settings.clientID += "/doctor"
        settings.isIsolated = isIsolated
        settings.answerTimeout = .seconds(Self.timeoutSeconds)
        if let tls = settings.tls, !examineTLS(tls, settings) { return skip("login") }
        return settings
    }

    /// Adds a check of this broker.
    package func add(_ check: Check) {
        let address = broker.host.contains(":") ? "[\(broker.host)]" : broker.host
        report(check.of("\(address):\(broker.port)"))
    }

    /// Logs in, and checks the rights.
    ///
    /// - Parameters:
    ///   - required: the subscriptions that the program can't do without.
    ///   - reading: of a program whose session outlives its connections.
    ///   - session: looks for another program of the same name.
    /// - Returns: `nil` if the login fails.
    package func rights(
        _ settings: ConnectionSettings, reading filters: [String], required: [String],
        writing written: [String], status: String, as reading: DurableReading? = nil,
        session: (BrokerObservation) -> Check
    ) -> BrokerObservation? {
        var probe = BrokerProbe(
            settings, broker.protocolChoice, filters: filters, statusTopic: status)
        let observation = probe.run()
        add(.login(observation.login, as: settings.username))
        guard case .success(let abilities) = observation.login else {
            _ = skip("publish")
            return nil
        }
        for check in Check.abilities(abilities, for: reading) { add(check) }
        add(session(observation))
        let answers = abilities.version == .v5 ? probePublishing(settings, written) : [:]
        for topic in written { add(.publish(topic, answers[topic])) }
        for topic in filters {
            add(
                .subscribe(
                    topic, observation.answers[topic],
                    hasDocument: observation.hasDocument(for: topic), retains: abilities.retains,
                    isRequired: required.contains(topic)))
        }
        return observation
    }

    private func skip(_ name: String) -> ConnectionSettings? {
        add(Check(name, .skipped, "depends on the failed check above"))
        return nil
    }

    private var connectError: Errno? {
        do throws(Errno) {
            _ = try Sockets.connect(to: .tcp(host: broker.host, port: broker.port))
            return nil
        } catch {
            return error
        }
    }

    /// - Returns: whether the next step is possible.
    private func examineTLS(
        _ tls: TLSSettings, _ settings: ConnectionSettings
    ) -> Bool {
        do throws(TLSStream.Failure) {
            if tls.client != nil {
                let own = Check.certificate(
                    "certificate", whose: "the client certificate",
                    daysLeft: try TLSStream.daysLeft(of: tls), renew: "make a new one")
                add(own)
                if own.outcome == .wrong { return false }
            }
            guard let socket = try? Self.socket(settings) else { return true }
            let stream = try TLSStream(
                socket, to: settings.host, tls, until: Self.deadline)
            let check = Check.tls(fault: stream.fault, daysLeft: stream.daysLeft)
            add(check)
            return check.outcome != .wrong
        } catch {
            add(.tls(error))
            return false
        }
    }

    private func probePublishing(
        _ settings: ConnectionSettings, _ topics: [String]
    ) -> [String: ReasonCode] {
        var answers: [String: ReasonCode] = [:]
        while true {
            let rest = topics.filter { answers[$0] == nil }
            let new = rest.isEmpty ? [:] : probeConnection(settings, rest)
            guard !new.isEmpty else { return answers }
            answers.merge(new) { $1 }
        }
    }

    private func probeConnection(
        _ settings: ConnectionSettings, _ topics: [String]
    ) -> [String: ReasonCode] {
        let deadline = Self.deadline
        guard let socket = try? Self.socket(settings) else { return [:] }
        var stream: any WireStream
        if let tls = settings.tls {
            // Only the right broker receives the password.
            guard let secured = try? TLSStream(socket, to: settings.host, tls, until: deadline),
                secured.fault == nil
            else { return [:] }
            stream = secured
        } else {
            stream = PlainStream(socket)
        }
        var probe = PublishProbe(stream, until: deadline)
        return probe.run(settings, topics: topics)
    }

    private static var deadline: Instant { .now + .seconds(timeoutSeconds) }

    private static func socket(_ settings: ConnectionSettings) throws(Errno) -> Descriptor {
        try Sockets.connect(to: .tcp(host: settings.host, port: settings.port))
    }
}

/// What a program finds at a broker.
package struct BrokerObservation {
    /// What the broker can do, or the reason why the broker refuses the connection.
    package var login: Result<BrokerAbilities, ConnectionFailure>
    /// By topic filter; without an entry if the broker has not answered.
    package var answers: [String: ReasonCode] = [:]
    /// The retained messages by topic, and those of the program's own status.
    package var documents: [String: [UInt8]] = [:]
    /// Another client of the same names appeared: it took the connection over, or published a status.
    package var hasRival = false

    /// Whether the broker has delivered a message for a filter, which may have wildcards (MQTT 5.0 section 4.7.1).
    func hasDocument(for filter: String) -> Bool {
        let wanted = filter.split(separator: "/", omittingEmptySubsequences: false)
        return documents.keys.contains { topic in
            let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
            let start = wanted.prefix { $0 != "#" }
            let hasSameLength = levels.count == start.count
            let isLongEnough = levels.count >= start.count
            return (start.count < wanted.count ? isLongEnough : hasSameLength)
                && zip(start, levels).allSatisfy { $0 == "+" || $0 == $1 }
        }
    }

    /// Whether the absence of a retained message shows that nothing was published.
    package var retains: Bool { (try? login.get())?.retains ?? false }

    init(login: Result<BrokerAbilities, ConnectionFailure>) { self.login = login }
}
