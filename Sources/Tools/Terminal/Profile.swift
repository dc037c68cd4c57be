import Configuration
import Contract
import JSON
import Posix
import Primitives

/// A broker, its topics and the user's credentials under a name: `profile.json` in a folder of that name.
package struct Profile: ConfigurationSection {
    /// The certificate of one command: a name has one connection at a time.
    package struct CommandCertificate: ConfigurationSection {
        package var certFile: String?
        package var keyFile: String?

        package init() {}

        package static let help =
            "The certificate of this command. A name has one connection at a time, so commands that "
            + "run in parallel need different names."
        package static let keys: [ConfigurationKey<CommandCertificate>] = [
            .optional("certFile", \.certFile, .path, example: "alice.watch.crt", help: "PEM."),
            .optional("keyFile", \.keyFile, .path, example: "alice.watch.key", help: "PEM."),
        ]
        package static let rules = BrokerSettings.TLS.rules
    }

    package var broker = BrokerURL.local
    package var root = Topics.usualRoot
    package var site: String?
    package var labels: String?
    package var acceptUnsyncedClocks = false
    package var username: String?
    package var passwordFile: String?
    package var tls: BrokerSettings.TLS?
    package var watch: CommandCertificate?
    package var status: CommandCertificate?
    package var queue: CommandCertificate?
    package var server: ServerAccess?

    package init() {}

    package static let help = "A connection of the command sightline."
    package static let keys: [ConfigurationKey<Profile>] = [
        .value(
            "broker", \.broker,
            .parsed(
                expecting: BrokerURL.rule, schema: ["type": "string", "pattern": "^mqtts?://"],
                json: { "\($0)" }, parse: { try? BrokerURL($0) }),
            isRequired: true, example: "mqtts://broker.example",
            help: "mqtt://HOST[:PORT], or mqtts:// for TLS."),
        .value("root", \.root, .topicRoot, help: "The root of all topics."),
        .optional(
            "site", \.site, .name, example: "store-042",
            help: "The site of status and watch without --site. tune ignores it."),
        .optional(
            "labels", \.labels, .path, example: "stores.csv",
            help:
                "A plan with columns such as label.floor, for --label without --labels. A relative path begins in the folder of this file."
        ),
        .value(
            "acceptUnsyncedClocks", \.acceptUnsyncedClocks, .bool,
            help:
                "Whether status and watch take a clock that is not set for no fault, as the server does with the key of this name of its sites."
        ),
        .optional(
            "username", \.username, .text(maxBytes: 1024), example: "alice",
            help: "The user name at the broker."),
        .optional(
            "passwordFile", \.passwordFile, .path, example: "password",
            help: "A file with one line. A relative path begins in the folder of this file."),
        .optionalSection("tls", \.tls),
        .optionalSection("watch", \.watch),
        .optionalSection("status", \.status),
        .optionalSection("queue", \.queue),
        .optionalSection("server", \.server),
    ]
    package static let rules: JSON = ["dependentRequired": ["passwordFile": ["username"]]]

    package func complete(_ reader: inout ObjectReader) {
        if passwordFile != nil, username == nil {
            reader.note(
                "username", .missing, "username is required where there is a passwordFile")
        }
        guard !broker.usesTLS else { return }
        for key in ["tls", "watch", "status", "queue"] where reader.has(key) {
            reader.note(key, .outOfRange, "\(key) is for TLS: the broker must begin with mqtts://")
        }
    }

    /// The certificate of a command, with its key.
    func certificate(for command: String) -> (certFile: String, keyFile: String)? {
        let own: CommandCertificate? =
            switch command {
            case "watch": watch
            case "status": status
            case "queue": queue
            default: nil
            }
        guard let certificate = own?.certFile ?? tls?.certFile,
            let key = own?.certFile == nil ? tls?.keyFile : own?.keyFile
        else { return nil }
        return (certificate, key)
    }
}

extension Profile {
    package static let fileName = "profile.json"
    /// The profile of a user who has chosen none.
    package static let usualName = "default"
    private static let maxBytes = 65_536

    /// Why a profile can't be used: one sentence.
    package struct Unusable: Error, Equatable {
        package let message: String
    }

    /// Reads the profile of this name, or in this folder if it begins with a slash; relative paths in it begin in its folder.
    package static func named(
        _ name: String, _ environment: Environment
    ) throws(Unusable) -> Profile {
        guard let base = environment.configurationFolder else {
            throw Unusable(message: "a profile needs a home folder: HOME is not set")
        }
        if name.hasPrefix("/") { return try Profile.inFolder(name) }
        let names = Self.names(environment)
        let isName = !name.contains("/") && name != ".." && name != "."
        guard isName, names.contains(name) else {
            let others =
                names.isEmpty
                ? "\(base) has none: see sightline-profile.json(5)"
                : NearestWord.to(name, among: names).map { "did you mean \($0)?" }
                    ?? "expected \(names.joined(separator: ", "))"
            throw Unusable(message: "no profile “\(name.printable(limit: 100))”; \(others)")
        }
        return try Profile.inFolder("\(base)/\(name)")
    }

    /// Reads the profile in a folder, where its relative paths begin.
    static func inFolder(_ folder: String) throws(Unusable) -> Profile {
        let path = "\(folder)/\(fileName)"
        let bytes: [UInt8]
        do throws(TextFile.Unreadable) {
            bytes = try TextFile.contents(of: path, maxBytes: maxBytes)
        } catch {
            throw Unusable(message: "\(path.printable(limit: 400)): can't be read: \(error)")
        }
        var profile: Profile
        do throws(Faults) {
            profile = try ObjectReader.decode(
                parsing: bytes, maxBytes: maxBytes, allowingComments: true
            ) { Profile(from: &$0) }
        } catch {
            let sentence = error.list.first?.line(of: path) ?? "\(path): can't be understood"
            throw Unusable(
                message: sentence + (sentence.hasSuffix("?") ? " See" : "; see")
                    + " sightline-profile.json(5)")
        }
        profile.resolvePaths(in: folder)
        return profile
    }

    /// The profile without a choice: `default`, or the only one; `nil` without any.
    package static func usual(_ environment: Environment) throws(Unusable) -> Profile? {
        let names = Self.names(environment)
        if names.contains(usualName) { return try named(usualName, environment) }
        guard let only = names.first else { return nil }
        guard names.count == 1 else {
            let list = names.joined(separator: ", ")
            throw Unusable(
                message: "choose a profile with --profile or SIGHTLINE_PROFILE: \(list);"
                    + " the one named \(usualName) needs no choice")
        }
        return try named(only, environment)
    }

    /// The names of the user's profiles.
    package static func names(_ environment: Environment) -> [String] {
        guard let base = environment.configurationFolder else { return [] }
        return Folder.names(in: base).filter { File.exists("\(base)/\($0)/\(fileName)") }
    }

    private mutating func resolvePaths(in folder: String) {
        let resolve = { (path: inout String?) in
            path = path.map { $0.hasPrefix("/") ? $0 : "\(folder)/\($0)" }
        }
        resolve(&passwordFile)
        resolve(&labels)
        if var files = tls {
            resolve(&files.caFile)
            resolve(&files.certFile)
            resolve(&files.keyFile)
            tls = files
        }
        if var access = server {
            resolve(&access.tokenFile)
            resolve(&access.caFile)
            server = access
        }
        for path in [\Profile.watch, \.status, \.queue] {
            guard var files = self[keyPath: path] else { continue }
            resolve(&files.certFile)
            resolve(&files.keyFile)
            self[keyPath: path] = files
        }
    }
}
