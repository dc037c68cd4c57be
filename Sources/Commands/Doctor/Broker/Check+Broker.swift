import Contract
import MQTT
import Posix
import Primitives

/// Judgements on a broker, and on what it lets a gateway do.
extension Check {
    /// Certificates that have fewer days left are worth a warning.
    static let fewDays = 30

    /// - Parameter section: of the configuration, that names the broker.
    static func name(_ host: String, addresses: [String], section: String) -> Check {
        guard let first = addresses.first else {
            return Check(
                "name", .wrong,
                "the name \(host) does not resolve: correct \(section).host, or see to the DNS ('resolvectl query \(host)')"
            )
        }
        return Check("name", .ok, "\(host) is \(first)")
    }

    /// - Parameter error: why no TCP connection came about; `nil` when one did.
    static func port(_ error: Errno?, section: String) -> Check {
        switch error {
        case nil: Check("port", .ok, "can be reached")
        case .connectionRefused:
            Check(
                "port", .wrong,
                "nobody listens there: start the broker, or correct \(section).port")
        case .timedOut:
            Check(
                "port", .wrong,
                "does not answer: is the machine on, and does a firewall on the way let the port through?"
            )
        case let error?: Check("port", .wrong, "can't be reached: \(error); see to the network")
        }
    }

    static func certificate(_ name: String, whose: String, daysLeft: Int?, renew: String) -> Check {
        switch daysLeft {
        case nil: Check(name, .warning, "\(whose) has no date that can be read")
        case let days? where days < 0:
            Check(name, .wrong, "\(whose) has expired, if this machine's clock is right: \(renew)")
        case let days? where days < fewDays:
            Check(name, .warning, "\(whose) has \(count(days, "day")) left: \(renew)")
        case let days?: Check(name, .ok, "\(whose) has \(count(days, "day")) left")
        }
    }

    /// What TLS came to.
    static func tls(objection: TLSFailure?, daysLeft: Int?) -> Check {
        if let objection { return Check("tls", .wrong, "\(objection)") }
        return certificate(
            "tls", whose: "trusted; its certificate", daysLeft: daysLeft,
            renew: "renew the broker's certificate")
    }

    static func tls(_ failure: TLSStream.Failure) -> Check {
        switch failure {
        case .file(let sentence): Check("tls", .wrong, sentence)
        case .handshake(let words) where words.contains("wrong version number"):
            Check("tls", .wrong, "\(TLSFailure.notTLS)")
        case .handshake(let words): Check("tls", .wrong, "\(TLSFailure.cutOff(words))")
        }
    }

    static func login(_ login: Result<ProtocolVersion, ConnectionFailure>, as user: String?)
        -> Check
    {
        switch login {
        case .success(let version):
            let words = version == .v5 ? "MQTT 5" : "MQTT 3.1.1, which has no reasons for refusals"
            return Check("login", .ok, "let in" + (user.map { " as \($0)" } ?? "") + ", \(words)")
        case .failure(let failure): return Check("login", .wrong, "\(failure)")
        }
    }

    /// - Parameter answer: to a subscription; `nil` when there was none.
    static func subscribe(
        _ topic: String, _ answer: ReasonCode?, hasDocument: Bool, isLayer: Bool
    ) -> Check {
        switch answer {
        case nil:
            Check("subscribe", .skipped, "\(topic): the broker did not answer")
        case let reason? where reason.isFailure:
            Check(
                "subscribe", isLayer ? .wrong : .warning,
                "\(topic): \(reason): let this user read it in the broker's access list")
        case .some where hasDocument:
            Check("subscribe", .ok, "\(topic): may be read, a message is there")
        case .some: Check("subscribe", .ok, "\(topic): granted, nothing is there")
        }
    }

    /// - Parameter answer: to a message that was not delivered; `nil` when there was none.
    static func publish(_ topic: String, _ answer: ReasonCode?) -> Check {
        switch answer {
        case nil:
            Check(
                "publish", .skipped, "\(topic): the broker does not say whether it may be written")
        case .qosNotSupported:
            Check(
                "publish", .skipped,
                "\(topic): the broker has no QoS 2, with which this is asked without publishing")
        case let reason? where reason.isFailure:
            Check(
                "publish", .wrong,
                "\(topic): \(reason): let this user write it in the broker's access list")
        case .some: Check("publish", .ok, "\(topic): may be written")
        }
    }
}
