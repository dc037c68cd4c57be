import Foundation
import MQTT
import TestSupport
import Testing

/// The broker in `config/mosquitto`, as `packaging/sightline-provision` sets it up for three gateways and two people.
final class ProvisionedBroker {
    private static let script = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "packaging/sightline-provision").path

    /// Starts the script with the command `sightline` of this build, which reads its plan.
    static func provision(_ arguments: [String]) throws -> ChildProcess {
        var environment = ProcessInfo.processInfo.environment
        let command = try #require(BuiltProgram.find("sightline"))
        environment["SIGHTLINE_BIN"] =
            URL(fileURLWithPath: command).deletingLastPathComponent().path
        return try ChildProcess(script, arguments, environment: environment)
    }

    let folder: TemporaryFolder
    let broker: Broker
    /// One connection a name: the broker ends the first of two.
    private var drivers: [String: ConnectionDriver] = [:]
    private var token: UInt64 = 0

    /// - Parameter arguments: additional arguments of `packaging/sightline-provision`.
    init(_ arguments: [String] = []) throws {
        folder = try TemporaryFolder()
        try folder.write(
            "site,gateway,minor\r\nstore-042,entry-1,1\r\nstore-042,\"till-store-042\",2\r\n"
                + "store-043,entry-1,1\r\nstore-043,,\r\n", to: "plan.csv")
        let child = try Self.provision(
            [
                "--plan", folder.file("plan.csv"), "--broker", "localhost", "--broker",
                "127.0.0.1:8884", "--operator", "alice", "--backend", "queue", "--output",
                folder.file("made"), "--passphrase-file",
                try folder.write("correct horse battery staple\n", to: "passphrase"),
            ] + arguments)
        try #require(child.waitForExit() == 0, "\(child.lines)")
        let shipped = try String(
            contentsOfFile: folder.file("made/broker/mosquitto.conf"), encoding: .utf8)
        var options = Broker.Options()
        options.lines =
            shipped
            .replacingOccurrences(
                of: "/etc/mosquitto/sightline", with: folder.file("made/broker")
            )
            .split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("#") && !$0.hasPrefix("listener") }
        broker = try Broker(options)
    }

    var entry: ConnectionSettings { settings("entry", "gateways/store-042/entry-1/gateway") }
    var till: ConnectionSettings { settings("till", "gateways/store-042/till-store-042/gateway") }
    var elsewhere: ConnectionSettings {
        settings("elsewhere", "gateways/store-043/entry-1/gateway")
    }

    /// The settings of a person.
    func person(_ name: String) -> ConnectionSettings {
        settings(name, "people/\(name.replacingOccurrences(of: ".watch", with: ""))/\(name)")
    }

    private func settings(_ user: String, _ pair: String) -> ConnectionSettings {
        let file = folder.file("made/" + pair)
        return ConnectionSettings(
            host: "localhost", port: broker.port,
            tls: TLSSettings(
                caFile: folder.file("made/ca.crt"),
                client: TLSSettings.ClientCertificate(
                    certFile: file + ".crt", keyFile: file + ".key")),
            clientID: user, keepAliveSeconds: 600)
    }

    private func driver(of settings: ConnectionSettings) throws -> ConnectionDriver {
        if let driver = drivers[settings.clientID] { return driver }
        let driver = try ConnectionDriver(to: settings)
        drivers[settings.clientID] = driver
        return driver
    }

    /// The topics that the account may write.
    func writable(_ topics: [String], by settings: ConnectionSettings) throws -> Set<String> {
        let driver = try driver(of: settings)
        var writable: Set<String> = []
        for topic in topics {
            token += 1
            try driver.connection.publish(
                Publication(topic: topic, payload: "x".bytes), token: token)
            let answer = try driver.answer(to: token)
            #expect(answer == .notAuthorised || !answer.isFailure)
            if answer != .notAuthorised { writable.insert(topic) }
        }
        return writable
    }

    /// The topics that each reader receives while `write` runs. The account of `last` publishes a
    /// final message that all readers may read.
    func seen(
        by readers: [ConnectionSettings], of filters: [String], last: (ConnectionSettings, String),
        while write: () throws -> Void
    ) throws -> [Set<String>] {
        let drivers = try readers.map { settings in
            let driver = try driver(of: settings)
            try driver.connection.subscribe(to: filters)
            try driver.wait(for: "subscribed") { if case .subscribed = $0 { true } else { nil } }
            return driver
        }
        try write()
        try driver(of: last.0).connection.publish(
            Publication(topic: last.1, payload: "last".bytes))
        return try drivers.map { driver in
            try driver.wait(for: "the last message") {
                if case .message(let message) = $0, message.payload == "last".bytes {
                    true
                } else {
                    nil
                }
            }
            return Set(
                driver.events.compactMap { event in
                    if case .message(let message) = event { message.topic } else { nil }
                })
        }
    }
}
