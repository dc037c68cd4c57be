import Configuration
import Contract
import Glibc
import MQTT
import Posix

extension Doctor {
    /// For each step on the way to a broker, in microseconds.
    private static let patience: Int64 = 10_000_000

    /// Goes the agent's way to a broker, step by step, as far as it leads.
    ///
    /// - Parameters:
    ///   - section: of the configuration, that names it.
    ///   - isUsable: whether all its files can be read.
    func examineBroker(
        _ broker: BrokerSettings, section: String, topics: Topics, isUsable: Bool
    ) {
        // Brokers hang up, and the libraries write to them all the same.
        signal(SIGPIPE, SIG_IGN)
        let address = broker.host.contains(":") ? "[\(broker.host)]" : broker.host
        let tell = { (check: Check) in report(check.of("\(address):\(broker.port)")) }
        let name = Check.name(
            broker.host, addresses: Sockets.addresses(of: broker.host), section: section)
        tell(name)
        guard name.outcome == .ok else { return leaveOut("port", tell) }
        if let error = Self.connectError(broker) {
            tell(.port(error, section: section))
            return leaveOut("login", tell)
        }
        tell(.port(nil, section: section))
        guard isUsable else { return leaveOut("login", tell) }
        var settings: ConnectionSettings
        do throws(PasswordFile.Unusable) {
            let (connection, warning) = try broker.connection(for: topics)
            if let warning { tell(Check("login", .warning, warning)) }
            settings = connection
        } catch {
            tell(Check("login", .wrong, error.description))
            return leaveOut("publish", tell)
        }
        // A broker lets in one client of a name, and that is the agent.
        settings.clientID += "-doctor"
        settings.answerTimeoutSeconds = Int(Self.patience / 1_000_000)
        if let tls = settings.tls, !examineTLS(tls, settings, tell) {
            return leaveOut("login", tell)
        }
        examineRights(settings, broker.protocolChoice, topics, tell)
    }

    private func leaveOut(_ name: String, _ tell: (Check) -> Void) {
        tell(Check(name, .skipped, "needs what is wrong above"))
    }

    private static func connectError(_ broker: BrokerSettings) -> Errno? {
        do throws(Errno) {
            _ = try Sockets.connect(to: .tcp(host: broker.host, port: broker.port))
            return nil
        } catch {
            return error
        }
    }

    /// - Returns: whether to go on.
    private func examineTLS(
        _ tls: TLSSettings, _ settings: ConnectionSettings, _ tell: (Check) -> Void
    ) -> Bool {
        do throws(TLSStream.Failure) {
            if tls.client != nil {
                let own = Check.certificate(
                    "certificate", whose: "our own certificate",
                    daysLeft: try TLSStream.daysLeft(of: tls), renew: "make a new one")
                tell(own)
                if own.outcome == .wrong { return false }
            }
            guard let socket = try? Self.socket(settings) else { return true }
            let stream = try TLSStream(
                socket, to: settings.host, tls, until: Clocks.boot + Self.patience)
            let check = Check.tls(objection: stream.objection, daysLeft: stream.daysLeft)
            tell(check)
            return check.outcome != .wrong
        } catch {
            tell(.tls(error))
            return false
        }
    }

    private func examineRights(
        _ settings: ConnectionSettings, _ choice: Reconnect.Choice, _ topics: Topics,
        _ tell: (Check) -> Void
    ) {
        let layers = Topics.Layer.allCases.map { topics.desired($0) }
        let filters = layers + [topics.topic(.status), home?.topic].compactMap(\.self)
        var visit = BrokerVisit(settings, choice, filters: filters)
        let findings = visit.make()
        tell(.login(findings.login, as: settings.username))
        guard case .success(let version) = findings.login else { return leaveOut("publish", tell) }
        let written =
            Topics.Kind.allCases.filter { $0 != .trackers || home != nil }
            .map { topics.topic($0) } + [home?.topic].compactMap(\.self)
        let answers = version == .v5 ? rehearse(settings, written) : [:]
        for topic in written { tell(.publish(topic, answers[topic])) }
        for topic in filters {
            tell(
                .subscribe(
                    topic, findings.answers[topic], hasDocument: findings.documents.contains(topic),
                    isLayer: layers.contains(topic)))
        }
    }

    private func rehearse(
        _ settings: ConnectionSettings, _ topics: [String]
    ) -> [String: ReasonCode] {
        let deadline = Clocks.boot + Self.patience
        guard let socket = try? Self.socket(settings) else { return [:] }
        var stream: any WireStream
        if let tls = settings.tls {
            // Nobody else is told the password.
            guard let secured = try? TLSStream(socket, to: settings.host, tls, until: deadline),
                secured.objection == nil
            else { return [:] }
            stream = secured
        } else {
            stream = PlainStream(socket)
        }
        var rehearsal = Rehearsal(stream, until: deadline)
        return rehearsal.ask(settings, topics: topics)
    }

    private static func socket(_ settings: ConnectionSettings) throws(Errno) -> Descriptor {
        try Sockets.connect(to: .tcp(host: settings.host, port: settings.port))
    }
}
