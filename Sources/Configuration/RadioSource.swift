import Contract
import Posix

/// Where advertising reports come from.
package enum RadioSource: Equatable, Sendable {
    /// A Bluetooth adapter of this machine: `hci0`, `hci0:user`.
    case adapter(UInt16, Channel)
    /// A controller that speaks H4 over a socket: `h4:unix:PATH`, `h4:tcp:HOST:PORT`.
    case h4(Sockets.Address)
    /// A btsnoop capture: `replay:FILE`.
    case replay(path: String)

    /// How an adapter is used.
    package enum Channel: Sendable {
        /// Beside the kernel.
        case raw
        /// In the kernel's place.
        case user
    }

    /// Why a text names no source.
    package struct Invalid: Error, Equatable, Sendable, CustomStringConvertible {
        /// The expected form: the end of a sentence that begins with the option or the key.
        package let description: String
    }

    /// The first adapter, beside the kernel.
    package static let usual = RadioSource.adapter(0, .raw)

    /// Reads a source as the command line and the configuration write it.
    package init(parsing text: String) throws(Invalid) {
        let (kind, rest) = text.dividedAtColon
        switch (kind, rest) {
        case ("h4", let rest?): self = .h4(try Self.address(rest))
        case ("replay", let path?) where !path.isEmpty: self = .replay(path: path)
        case ("replay", _): throw Invalid(description: "must name a file: replay:FILE")
        case ("sim", let rest?):
            let scenario = rest.isEmpty ? "FILE" : rest
            throw Invalid(
                description: "can't be a scenario: start virtual-radio --scenario \(scenario) "
                    + "--gateway ID --listen unix:PATH, and write h4:unix:PATH here")
        default: self = try Self.adapter(text)
        }
    }

    private static func adapter(_ text: String) throws(Invalid) -> RadioSource {
        let (name, rest) = text.dividedAtColon
        let digits = name.dropFirst(3)
        // The number alone decides: `UInt16("+1")` would be one, too.
        guard name.hasPrefix("hci"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt16(digits)
        else {
            throw Invalid(
                description: "must be hci0, hci0:user, h4:unix:PATH, h4:tcp:HOST:PORT "
                    + "or replay:FILE, not \(text.quotedForPeople)")
        }
        switch rest {
        case nil: return .adapter(number, .raw)
        case "user": return .adapter(number, .user)
        case let rest?:
            throw Invalid(
                description: "must be \(name) or \(name):user; there is no channel "
                    + rest.quotedForPeople)
        }
    }

    private static func address(_ text: String) throws(Invalid) -> Sockets.Address {
        let (kind, rest) = text.dividedAtColon
        switch (kind, rest) {
        case ("unix", let path?) where (1...107).contains(path.utf8.count):
            return .unix(path: path)
        case ("unix", _):
            throw Invalid(description: "must name a socket: h4:unix:PATH, of 107 bytes at most")
        case ("tcp", let rest?):
            guard let (host, port) = NetworkAddress.parse(rest) else {
                throw Invalid(
                    description: "must be h4:tcp:HOST:PORT with a port of 1…65535 "
                        + "(an IPv6 address in brackets), not \(text.quotedForPeople)")
            }
            return .tcp(host: host, port: port)
        default:
            throw Invalid(
                description: "must be h4:unix:PATH or h4:tcp:HOST:PORT, "
                    + "not \(("h4:" + text).quotedForPeople)")
        }
    }
}

extension RadioSource: CustomStringConvertible {
    /// The source as the command line and the configuration have it.
    package var description: String {
        switch self {
        case .adapter(let number, .raw): "hci\(number)"
        case .adapter(let number, .user): "hci\(number):user"
        case .h4(.tcp(let host, let port)) where host.contains(":"): "h4:tcp:[\(host)]:\(port)"
        case .h4(let address): "h4:\(address)"
        case .replay(let path): "replay:\(path)"
        }
    }
}

extension String {
    /// The text before and after the first colon; `nil` after it without a colon.
    fileprivate var dividedAtColon: (String, String?) {
        guard let colon = firstIndex(of: ":") else { return (self, nil) }
        return (String(self[..<colon]), String(self[index(after: colon)...]))
    }
}

/// How the agent uses its radio: keys of the section `radio` of the local file.
package struct RadioSettings: Equatable, Sendable {
    /// Whether the agent switches a shared adapter on that is down.
    package var powersOn = true
    /// The share of the time in which the radio listens.
    package var scanDutyPercent = 100
    /// The minutes of a failure that no step has recovered, after which the agent ends; 0 for never.
    package var exitAfterMinutes = 0

    package init() {}

    static let keys: [ConfigurationKey<RadioSettings>] = [
        .value(
            "powerOn", \.powersOn, .bool, effect: .afterRestart,
            help: "Whether the agent switches a shared adapter on that is down. It needs "
                + "CAP_NET_ADMIN, which the service has."),
        .value(
            "scanDutyPercent", \.scanDutyPercent, .integer(in: 5...100), effect: .afterRestart,
            help: "The share of the time in which the radio listens. Beside 2.4 GHz Wi-Fi on a Pi "
                + "Zero 2 W, 80 leaves time for both."),
        .value(
            "exitAfterMinutes", \.exitAfterMinutes, .integer(in: 0...10_080),
            effect: .afterRestart,
            help: "The agent ends with exit status 3 when no step has recovered the radio for so "
                + "long; 0 for never. systemd's OnFailure= can then bind a driver again, or restart the machine."
        ),
    ]
}
