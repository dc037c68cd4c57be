import CommandLine
import Contract
import MQTT
import Posix
import Primitives

/// How a subcommand reaches a broker, and below which topics: the options that all of them share.
package struct BrokerOptions {
    /// Which broker, and below which root.
    package static let place = [
        Option(
            "broker", value: "URL",
            help: "mqtt://HOST[:PORT], or mqtts:// for TLS; mqtt://localhost:1883 if not given"),
        Option(
            "root", value: "ROOT",
            help: "what topics begin with; \(Topics.usualRoot) if not given"),
    ]

    /// Who we are, and whom we trust.
    package static let credentials = [
        Option("username", value: "NAME", help: "who we are to the broker"),
        Option("password-file", value: "FILE", help: "the file that holds the password"),
        Option(
            "ca-file", value: "FILE",
            help: "trust the certificates in this PEM file, not those that the system trusts"),
        Option("cert", value: "FILE", help: "our certificate, a PEM file"),
        Option("key", value: "FILE", help: "our certificate's private key, a PEM file"),
    ]

    package let broker: BrokerURL
    package let root: String
    private let username: String?
    private let passwordFile: String?
    private let tls: TLSSettings?

    package init(_ invocation: Invocation) throws(UsageError) {
        do throws(BrokerURL.Invalid) {
            broker = try BrokerURL(invocation["broker"] ?? "mqtt://localhost:1883")
        } catch {
            throw UsageError("--broker: \(error.sentence)")
        }
        root = invocation["root"] ?? Topics.usualRoot
        guard Topics.isRoot(root) else {
            throw UsageError(
                "--root must be \(Topics.rootRule), not “\(root.printable(limit: 100))”")
        }
        username = invocation["username"]
        passwordFile = invocation["password-file"]
        guard username != nil || passwordFile == nil else {
            throw UsageError("--password-file needs --username NAME")
        }
        tls = try Self.tls(invocation, broker)
    }

    /// The name that `--site` or `--gateway` has; `nil` where it was not given.
    package static func name(
        _ option: String, _ invocation: Invocation
    ) throws(UsageError) -> String? {
        guard let value = invocation[option] else { return nil }
        guard Topics.isName(value) else {
            throw UsageError(
                "--\(option) must be \(Topics.nameRule), not “\(value.printable(limit: 100))”")
        }
        return value
    }

    private static func tls(
        _ invocation: Invocation, _ broker: BrokerURL
    ) throws(UsageError) -> TLSSettings? {
        let (certificate, key) = (invocation["cert"], invocation["key"])
        guard broker.usesTLS else {
            for option in ["ca-file", "cert", "key"] where invocation.has(option) {
                throw UsageError("--\(option) is for TLS: --broker mqtts://HOST[:PORT]")
            }
            return nil
        }
        var tls = TLSSettings(caFile: invocation["ca-file"])
        switch (certificate, key) {
        case (let certificate?, let key?):
            tls.client = TLSSettings.ClientCertificate(certFile: certificate, keyFile: key)
        case (nil, nil): break
        default: throw UsageError("--cert and --key need each other")
        }
        return tls
    }

    /// A file that was named can't be used: one sentence, without a full stop.
    package struct Unusable: Error, Equatable {
        package let sentence: String
    }

    /// How to connect, with the password read and every other file found to be readable. Larger messages are not
    /// delivered.
    package func settings(maximumPayload: Int) throws(Unusable) -> ConnectionSettings {
        var settings = ConnectionSettings(
            host: broker.host, port: broker.port, tls: tls, username: username,
            maximumPayload: maximumPayload)
        for (name, path) in [
            ("--ca-file", tls?.caFile), ("--cert", tls?.client?.certFile),
            ("--key", tls?.client?.keyFile),
        ] {
            guard let path else { continue }
            do throws(Errno) {
                // The connection reads it as well: there, it could only fail.
                _ = try MappedFile(path: path)
            } catch {
                throw Unusable(
                    sentence: "\(name) can't be read: \(path.printable(limit: 400)): \(error)")
            }
        }
        guard let passwordFile else { return settings }
        do throws(PasswordFile.Unusable) {
            settings.password = try PasswordFile(path: passwordFile).password
        } catch {
            throw Unusable(sentence: error.description.printable(limit: 800))
        }
        return settings
    }
}
