import CommandLine
import Contract
import MQTT
import Posix
import Primitives

/// The options for the broker and the root of the topics, which all subcommands with a broker share.
package struct BrokerOptions {
    package static let place = [
        Option(
            "profile", value: "PROFILE",
            help:
                "the profile with broker and credentials, by name or as a folder from the root; the default is the "
                + "only one, or default"
        ),
        Option(
            "broker", value: "URL",
            help: "mqtt://HOST[:PORT], or mqtts:// for TLS, instead of a profile; without either, "
                + "mqtt://localhost:1883"),
        Option(
            "root", value: "ROOT",
            help: "the root of all topics; the default is \(Topics.usualRoot)"),
    ]

    /// Of the commands that judge the state of gateways.
    package static let clocks = Option(
        "accept-unsynced-clocks",
        help: "take a clock that is not set for no fault, as a site with acceptUnsyncedClocks does")

    package static let credentials = [
        Option("username", value: "NAME", help: "the user name at the broker"),
        Option("password-file", value: "FILE", help: "a file with the password"),
        Option(
            "ca-file", value: "FILE",
            help: "trust the certificates in this PEM file instead of the system's"),
        Option("cert", value: "FILE", help: "the client certificate, a PEM file"),
        Option("key", value: "FILE", help: "the private key of the client certificate, a PEM file"),
    ]

    package let broker: BrokerURL
    package let root: String
    /// The remedy of a user who has chosen no broker, if the local one does not answer.
    package let advice: String?
    /// The profile's site.
    private let usualSite: String?
    /// The gateways that `--label` chooses; `nil` without it.
    package let selection: GatewaySelection?
    package let username: String?
    package let passwordFile: String?
    package let tls: TLSSettings?
    /// Whether a clock that is not set is no fault of a gateway.
    package let acceptsUnsyncedClocks: Bool

    /// What the options leave out comes from a profile, unless `--broker` or `SIGHTLINE_BROKER` names the broker.
    ///
    /// - Parameter folder: where a profile may be that comes before the user's.
    package init(
        _ invocation: Invocation, _ environment: Environment = Environment(),
        profileIn folder: String? = nil
    ) throws(UsageError) {
        let source = try Source(invocation, environment, profileIn: folder)
        let profile = source.profile
        broker = source.broker
        advice =
            source.isChosen
            ? nil
            : "you chose no broker: use --broker URL, or a profile as in sightline-profile.json(5)"
        root = invocation["root"] ?? profile?.root ?? Topics.usualRoot
        guard Topics.isRoot(root) else {
            throw UsageError(
                "--root must be \(Topics.rootRule), not “\(root.printable(limit: 100))”")
        }
        usualSite = profile?.site
        // A plan has its own labels; standard input can't be read twice.
        let plan = invocation["plan"].flatMap { $0 == PlanFile.standardInput ? nil : $0 }
        selection = try GatewaySelection(invocation, usually: plan ?? profile?.labels)
        username = invocation["username"] ?? profile?.username
        // A password belongs to its user name.
        passwordFile =
            invocation["password-file"]
            ?? (invocation.has("username") ? nil : profile?.passwordFile)
        guard username != nil || passwordFile == nil else {
            throw UsageError("--password-file needs --username NAME")
        }
        tls = try Self.tls(invocation, broker, profile)
        acceptsUnsyncedClocks =
            invocation.has("accept-unsynced-clocks") || profile?.acceptUnsyncedClocks ?? false
    }

    /// `--site`, else the profile's site.
    package func site(_ invocation: Invocation) throws(UsageError) -> String? {
        try Self.name("site", invocation) ?? usualSite
    }

    /// The value of `--site` or `--gateway`; `nil` without the option.
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
        _ invocation: Invocation, _ broker: BrokerURL, _ profile: Profile?
    ) throws(UsageError) -> TLSSettings? {
        let (certificate, key) = (invocation["cert"], invocation["key"])
        guard broker.usesTLS else {
            for option in ["ca-file", "cert", "key"] where invocation.has(option) {
                throw UsageError("--\(option) is for TLS: --broker mqtts://HOST[:PORT]")
            }
            return nil
        }
        var tls = TLSSettings(caFile: invocation["ca-file"] ?? profile?.tls?.caFile)
        switch (certificate, key) {
        case (let certificate?, let key?):
            tls.client = TLSSettings.ClientCertificate(certFile: certificate, keyFile: key)
        case (nil, nil):
            tls.client = profile?.certificate(for: invocation.command.word).map {
                TLSSettings.ClientCertificate(certFile: $0.certFile, keyFile: $0.keyFile)
            }
        default: throw UsageError("--cert and --key must be given together")
        }
        return tls
    }

    /// A file from the command line can't be used.
    package struct Unusable: Error, Equatable {
        package let message: String
    }

    /// Reads the password and checks that every other file is readable.
    ///
    /// - Parameter maximumPayload: larger messages are not delivered.
    package func settings(maximumPayload: Int) throws(Unusable) -> ConnectionSettings {
        var settings = ConnectionSettings(
            host: broker.host, port: broker.port, tls: tls, username: username,
            maximumPayload: maximumPayload)
        settings.isIsolated = true
        for (name, path) in [
            ("the CA file", tls?.caFile), ("the certificate", tls?.client?.certFile),
            ("the key", tls?.client?.keyFile),
        ] {
            guard let path else { continue }
            do throws(Errno) {
                // The connection reads it later; this error is clearer.
                _ = try MappedFile(path: path)
            } catch {
                throw Unusable(
                    message: "\(name) can't be read: \(path.printable(limit: 400)): \(error)")
            }
        }
        guard let passwordFile else { return settings }
        do throws(PasswordFile.Unusable) {
            settings.password = try PasswordFile(path: passwordFile).password
        } catch {
            throw Unusable(message: error.description.printable(limit: 800))
        }
        return settings
    }
}

extension BrokerOptions {
    /// The broker of a command: an option, else the environment, else a profile, else the local one.
    struct Source {
        let broker: BrokerURL
        /// `nil` if an option or the environment names the broker: credentials are for their own broker alone.
        let profile: Profile?
        /// Whether an option, the environment or a profile names the broker.
        let isChosen: Bool

        /// - Parameter folder: its profile comes before the user's.
        init(
            _ invocation: Invocation, _ environment: Environment, profileIn folder: String?
        ) throws(UsageError) {
            if invocation.has("broker"), invocation.has("profile") {
                throw UsageError("--profile names a broker already; leave out --broker")
            }
            let fromEnvironment = invocation.has("profile") ? nil : environment["SIGHTLINE_BROKER"]
            if let url = invocation["broker"] ?? fromEnvironment {
                do throws(BrokerURL.Invalid) {
                    broker = try BrokerURL(url)
                } catch {
                    let name = invocation.has("broker") ? "--broker" : "SIGHTLINE_BROKER"
                    throw UsageError(
                        "\(name): \(error.message)", concernsHelp: invocation.has("broker"))
                }
                (profile, isChosen) = (nil, true)
                return
            }
            do throws(Profile.Unusable) {
                if let name = invocation["profile"] ?? environment["SIGHTLINE_PROFILE"] {
                    profile = try Profile.named(name, environment)
                } else if let folder, File.exists("\(folder)/\(Profile.fileName)") {
                    profile = try Profile.inFolder(folder)
                } else {
                    profile = try Profile.usual(environment)
                }
            } catch {
                throw UsageError(error.message, concernsHelp: false)
            }
            broker = profile?.broker ?? .local
            isChosen = profile != nil
        }
    }
}
