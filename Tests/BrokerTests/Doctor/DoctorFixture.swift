import Foundation
import TestSupport

/// A gateway for `sightline doctor`: a broker with TLS, a password and access rules, a radio on a
/// socket, and a configuration for both. By default it has no fault.
final class DoctorFixture {
    static let program = BuiltProgram.find("sightline")
    static let site = "store-042"
    static let place = "sightline/v1/store-042/entry-1"
    private static let password = "correct horse"

    /// One line of the doctor's output.
    struct Answer: Equatable {
        let check: String
        let outcome: String
        let message: String
    }

    let folder: TemporaryFolder
    let certificates: Certificates
    var options: Broker.Options
    var radio = RadioProgram.Options()
    /// Members of the section `mqtt`; `nil` removes one.
    var mqtt: [String: Any?] = [:]
    var sections: [String: Any] = [:]
    /// The reference beacons in the configuration.
    var references: [[String: Any]] = []
    private(set) var broker: Broker?
    private(set) var radioProgram: RadioProgram?

    init() throws {
        folder = try TemporaryFolder()
        certificates = try Certificates(in: folder, days: 400)
        options = Broker.Options()
        options.tls = .init(server: try certificates.server(Self.names))
        options.users = ["entry-1": Self.password]
        options.access = Self.rights
        try FileManager.default.createDirectory(
            atPath: folder.file("state"), withIntermediateDirectories: true)
    }

    /// The names in a broker's certificate.
    static let names = ["DNS:localhost", "IP:127.0.0.1"]

    /// A gateway's rights in the shipped access file.
    static let rights =
        ["user entry-1"]
        + ["sightings", "health", "config/reported"].map { "topic write \(place)/\($0)" }
        + ["topic readwrite \(place)/status"]
        + ["config/desired", "store-042/config/desired", "store-042/entry-1/config/desired"]
        .map { "topic read sightline/v1/\($0)" }

    /// Writes a password file that only its owner can read, and returns its path.
    func passwordFile(_ password: String) throws -> String {
        try Gateway.passwordFile(password, in: folder)
    }

    /// Starts the broker and the radio, and writes the configuration.
    ///
    /// - Returns: its path.
    func prepare() throws -> String {
        let broker = try Broker(options)
        let radioProgram = try RadioProgram(radio)
        self.broker = broker
        self.radioProgram = radioProgram
        return try configure()
    }

    /// Writes the configuration for the broker and the radio that run.
    ///
    /// - Returns: its path.
    func configure() throws -> String {
        guard let broker, let radioProgram else { throw TestFailure("not prepared") }
        let usual: [String: Any?] = [
            "host": "127.0.0.1", "port": Int(broker.port), "username": "entry-1",
            "passwordFile": try passwordFile(Self.password),
            "tls": ["caFile": certificates.caFile],
        ]
        let file: [String: Any] = [
            "gateway": ["site": Self.site, "id": "entry-1"],
            "mqtt": usual.merging(mqtt) { $1 }.compactMapValues(\.self),
            "radio": ["source": radioProgram.source, "reference": references],
            "stateDirectory": folder.file("state"),
            "outbox": ["holdUnsyncedMs": 0],
        ]
        let object = file.merging(sections) { $1 }
        let data = try JSONSerialization.data(withJSONObject: object)
        return try folder.write(String(decoding: data, as: UTF8.self), to: "sightlined.json")
    }

    /// Runs the doctor to its end.
    static func examine(_ path: String) throws -> (status: Int32?, answers: [Answer]) {
        guard let program else { throw TestFailure("sightline was not built beside the tests") }
        let process = try ChildProcess(
            program, ["doctor", "--config", path, "--seconds", "1", "--json"])
        let status = process.waitForExit()
        let answers = process.lines.map { line -> Answer in
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8))
            let members = object as? [String: String] ?? [:]
            return Answer(
                check: members["check"] ?? line, outcome: members["outcome"] ?? "",
                message: members["message"] ?? "")
        }
        return (status, answers)
    }
}
