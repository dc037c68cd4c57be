import Contract
import MQTT
import Posix
import Primitives

/// Checks of a broker and of the rights of a program.
extension Check {
    /// A certificate that expires in fewer days is a warning.
    package static let expiryWarningDays = 30

    /// - Parameter section: of the broker in the configuration.
    package static func name(_ host: String, addresses: [String], section: String) -> Check {
        guard let first = addresses.first else {
            return Check(
                "name", .wrong,
                "the name \(host) does not resolve: correct \(section).host, or check the DNS ('resolvectl query \(host)')"
            )
        }
        return Check("name", .ok, "\(host) is \(first)")
    }

    /// - Parameter error: of the TCP connection; `nil` if it succeeded.
    package static func port(_ error: Errno?, section: String) -> Check {
        switch error {
        case nil: Check("port", .ok, "can be reached")
        case .connectionRefused:
            Check(
                "port", .wrong,
                "no program listens on this port: start the broker, or correct \(section).port")
        case .timedOut:
            Check(
                "port", .wrong,
                "does not answer: check that the machine is on and that firewalls allow the port"
            )
        case let error?: Check("port", .wrong, "can't be reached: \(error): check the network")
        }
    }

    package static func certificate(_ name: String, whose: String, daysLeft: Int?, renew: String)
        -> Check
    {
        switch daysLeft {
        case nil: Check(name, .warning, "\(whose) has no valid date")
        case let days? where days < 0:
            Check(
                name, .wrong,
                "\(whose) has expired, or the clock of this machine is wrong: \(renew)")
        case let days? where days < expiryWarningDays:
            Check(name, .warning, "\(whose) has \(count(days, "day")) left: \(renew)")
        case let days?: Check(name, .ok, "\(whose) has \(count(days, "day")) left")
        }
    }

    package static func tls(fault: TLSFailure?, daysLeft: Int?) -> Check {
        if let fault { return Check("tls", .wrong, "\(fault)") }
        return certificate(
            "tls", whose: "trusted; its certificate", daysLeft: daysLeft,
            renew: "renew the broker's certificate")
    }

    package static func tls(_ failure: TLSStream.Failure) -> Check {
        switch failure {
        case .file(let sentence): Check("tls", .wrong, sentence)
        case .handshake(let words) where words.contains("wrong version number"):
            Check("tls", .wrong, "\(TLSFailure.notTLS)")
        case .handshake(let words): Check("tls", .wrong, "\(TLSFailure.cutOff(words))")
        }
    }

    package static func login(_ login: Result<BrokerAbilities, ConnectionFailure>, as user: String?)
        -> Check
    {
        switch login {
        case .success(let abilities):
            let words =
                abilities.version == .v5
                ? "MQTT 5" : "MQTT 3.1.1, which does not report refused publications"
            return Check("login", .ok, "accepted" + (user.map { " as \($0)" } ?? "") + ", \(words)")
        case .failure(let failure): return Check("login", .wrong, "\(failure)")
        }
    }

    /// - Parameter reading: of a program whose session outlives its connections.
    package static func abilities(
        _ abilities: BrokerAbilities, for reading: DurableReading?
    ) -> [Check] {
        abilities.restrictions(for: reading).map { Check("abilities", .warning, "\($0)") }
    }

    /// - Parameters:
    ///   - answer: to the subscription; `nil` without one.
    ///   - retains: whether the broker keeps retained messages.
    package static func subscribe(
        _ topic: String, _ answer: ReasonCode?, hasDocument: Bool, retains: Bool, isRequired: Bool
    ) -> Check {
        switch answer {
        case nil:
            Check("subscribe", .skipped, "\(topic): the broker did not answer")
        case let reason? where reason.isFailure:
            Check(
                "subscribe", isRequired ? .wrong : .warning,
                "\(topic): \(reason): "
                    + (reason.subscriptionRemedy
                        ?? "allow this user to read it in the broker's access list"))
        case .some where hasDocument:
            Check("subscribe", .ok, "\(topic): readable, a message is retained")
        case .some where !retains: Check("subscribe", .ok, "\(topic): granted")
        case .some: Check("subscribe", .ok, "\(topic): granted, no message is retained")
        }
    }

    /// - Parameter answer: to the publication of the probe; `nil` without one.
    package static func publish(_ topic: String, _ answer: ReasonCode?) -> Check {
        switch answer {
        case nil:
            Check(
                "publish", .skipped, "\(topic): the broker does not report write permission")
        case .qosNotSupported:
            Check(
                "publish", .skipped,
                "\(topic): the broker does not support QoS 2, which the check needs")
        case let reason? where reason.mayPass && reason.isFailure:
            Check(
                "publish", .skipped,
                "\(topic): the broker refuses for now: \(reason): check its load, then run again")
        case let reason? where reason.isFailure:
            Check(
                "publish", .wrong,
                "\(topic): \(reason): allow this user to write it in the broker's access list")
        case .some: Check("publish", .ok, "\(topic): writable")
        }
    }
}
