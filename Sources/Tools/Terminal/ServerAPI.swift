import CommandLine
import Configuration
import Contract
import JSON
import MQTT
import Posix
import Primitives

/// A server's API in a profile: the section `server`.
package struct ServerAccess: ConfigurationSection, Equatable {
    package var url = ServerAPI.local
    package var tokenFile: String?
    package var caFile: String?

    package init() {}

    package static let help = "The API of a server, for sightline beacons label."
    package static let keys: [ConfigurationKey<ServerAccess>] = [
        .value(
            "url", \.url, .webAddress, isRequired: true, example: "https://queues.example/",
            help: "Its address, as browsers use it."),
        .optional(
            "tokenFile", \.tokenFile, .path, example: "token",
            help:
                "A file with one line: a token of the scope manage. A relative path begins in the folder of the profile."
        ),
        .optional(
            "caFile", \.caFile, .path, example: "ca.pem",
            help: "The certificates to trust for https. The default are those of the system."),
    ]
}

/// The API of a server, as a person with a token uses it.
package struct ServerAPI {
    static let local = WebAddress("http://127.0.0.1:8480/") ?? WebAddress()

    package static let options = [
        Option(
            "server", value: "URL",
            help: "label: the server, as browsers name it, instead of a profile's; without either, "
                + "http://127.0.0.1:8480"),
        Option(
            "token-file", value: "FILE",
            help: "label: a file with a token of the server with the scope manage"),
    ]

    /// Why there is no answer, or what the server refuses: a sentence.
    package struct Failure: Error {
        package let sentence: String

        package init(sentence: String) { self.sentence = sentence }
    }

    private let url: WebAddress
    private let token: String?
    /// Weaknesses of the way to the server that do not prevent its use.
    package let warnings: [String]
    private let exchange: WebExchange

    private static let patience = Duration.seconds(10)

    /// What the options leave out comes from a profile, unless `--server` names the server.
    package init(_ invocation: Invocation) throws(UsageError) {
        var access = ServerAccess()
        if let text = invocation["server"] {
            guard let url = WebAddress(text), !url.path.contains("?") else {
                throw UsageError(
                    "--server must be http:// or https:// and a host, not “\(text.printable())”")
            }
            access.url = url
        } else {
            let source = try BrokerOptions.Source(invocation, Environment(), profileIn: nil)
            access = source.profile?.server ?? access
        }
        url = access.url
        exchange = WebExchange(url, caFile: invocation["ca-file"] ?? access.caFile)
        let file = invocation["token-file"] ?? access.tokenFile
        do throws(PasswordFile.Unusable) {
            let file = try file.map { path throws(PasswordFile.Unusable) in
                try PasswordFile(path: path, of: "token")
            }
            token = file?.password
            let isOpen = token != nil && !url.isTLS && !url.isLocal
            let way = "\(url): without TLS, everybody on the way can read the token; use https"
            warnings = [file?.warning, isOpen ? way : nil].compactMap(\.self)
        } catch {
            throw UsageError(error.description.printable(limit: 800), concernsHelp: false)
        }
    }

    /// The document of a successful answer.
    ///
    /// - Parameter path: behind `api/v1/`.
    package func call(
        _ path: String, by method: String = "GET", _ document: JSON? = nil
    ) throws(Failure) -> JSON {
        let folder = url.path.hasSuffix("/") ? url.path : url.path + "/"
        var headers = ["Accept: application/json"]
        if let token { headers.append("Authorization: Bearer \(token)") }
        if document != nil { headers.append("Content-Type: application/json") }
        let answer: WebExchange.Answer
        do throws(WebExchange.Failure) {
            answer = try exchange.answer(
                method, "\(folder)api/v1/\(path)", headers: headers, body: document?.bytes ?? [],
                maxBytes: WebExchange.Answer.maxBytes, until: .now + Self.patience)
        } catch {
            let remedy = error.isUnreached ? "; is sightline-server running there?" : ""
            throw Failure(sentence: "\(url): \(error.sentence)\(remedy)")
        }
        guard let json = answer.json, answer.status == 200 else {
            let detail = answer.detail ?? "it answers \(answer.status)"
            let remedy =
                [401, 403].contains(answer.status)
                ? " Give it with --token-file or the profile's server.tokenFile." : ""
            throw Failure(sentence: "\(url): \(detail.printable(limit: 800))\(remedy)")
        }
        return json
    }
}

extension WebExchange.Answer {
    package static let maxBytes = 1 << 22

    /// The sentence of a problem document.
    package var detail: String? {
        guard case .string(let text)? = json?["detail"] else { return nil }
        return text
    }

    package var json: JSON? { try? JSON(parsing: body, maxBytes: Self.maxBytes) }
}
