import Configuration
import Contract
import Glibc
import MQTT
import Posix
import Primitives

extension Doctor {
    /// The time for each step.
    private static let timeoutSeconds = 10

    /// Connects to a broker as the agent does, step by step, until a step fails.
    ///
    /// - Parameters:
    ///   - section: of the broker in the configuration.
    ///   - isUsable: whether all its files are readable.
    func examineBroker(
        _ broker: BrokerSettings, section: String, topics: Topics, isUsable: Bool
    ) {
        // The libraries write to connections that the broker has closed.
        signal(SIGPIPE, SIG_IGN)
        let address = broker.host.contains(":") ? "[\(broker.host)]" : broker.host
        let add = { (check: Check) in report(check.of("\(address):\(broker.port)")) }
        let name = Check.name(
            broker.host, addresses: Sockets.addresses(of: broker.host), section: section)
        add(name)
        guard name.outcome == .ok else { return skip("port", add) }
        if let error = Self.connectError(broker) {
            add(.port(error, section: section))
            return skip("login", add)
        }
        add(.port(nil, section: section))
        guard isUsable else { return skip("login", add) }
        var settings: ConnectionSettings
        do throws(PasswordFile.Unusable) {
            let (connection, warning) = try broker.connection(for: topics)
            if let warning { add(Check("login", .warning, warning)) }
            settings = connection
        } catch {
            add(Check("login", .wrong, error.description))
            return skip("publish", add)
        }
        // An agent elsewhere with this gateway's name keeps its connection, unless the broker binds identifiers to users.
        settings.clientID += "/doctor"
        settings.answerTimeoutSeconds = Self.timeoutSeconds
        if let tls = settings.tls, !examineTLS(tls, settings, add) {
            return skip("login", add)
        }
        guard agent == nil else { return add(.loginBesideAgent) }
        examineRights(settings, broker.protocolChoice, topics, add)
    }

    private func skip(_ name: String, _ add: (Check) -> Void) {
        add(Check(name, .skipped, "depends on the failed check above"))
    }

    private static func connectError(_ broker: BrokerSettings) -> Errno? {
        do throws(Errno) {
            _ = try Sockets.connect(to: .tcp(host: broker.host, port: broker.port))
            return nil
        } catch {
            return error
        }
    }

    /// - Returns: whether the next step is possible.
    private func examineTLS(
        _ tls: TLSSettings, _ settings: ConnectionSettings, _ add: (Check) -> Void
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
            let check = Check.tls(objection: stream.objection, daysLeft: stream.daysLeft)
            add(check)
            return check.outcome != .wrong
        } catch {
            add(.tls(error))
            return false
        }
    }

    private func examineRights(
        _ settings: ConnectionSettings, _ choice: Reconnect.Choice, _ topics: Topics,
        _ add: (Check) -> Void
    ) {
        let layers = Topics.Layer.allCases.map { topics.desired($0) }
        let filters = layers + [topics.topic(.status), home?.topic].compactMap(\.self)
        var probe = BrokerProbe(
            settings, choice, filters: filters, statusTopic: topics.topic(.status))
        let findings = probe.run()
        add(.login(findings.login, as: settings.username))
        guard case .success(let version) = findings.login else { return skip("publish", add) }
        add(.session(findings.status, hasRival: findings.hasRival, topics))
        let written =
            Topics.Kind.allCases.filter { $0 != .trackers || home != nil }
            .map { topics.topic($0) } + [home?.topic].compactMap(\.self)
        let answers = version == .v5 ? probePublishing(settings, written) : [:]
        for topic in written { add(.publish(topic, answers[topic])) }
        for topic in filters {
            add(
                .subscribe(
                    topic, findings.answers[topic], hasDocument: findings.documents.contains(topic),
                    isLayer: layers.contains(topic)))
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
                secured.objection == nil
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
