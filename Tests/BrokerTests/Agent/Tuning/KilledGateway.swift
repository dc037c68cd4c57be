import Foundation
import TestSupport
import TestVectors

/// A gateway that is killed during changes, and checked after each restart.
///
/// Sendable, because one thread at a time uses it.
final class KilledGateway: @unchecked Sendable {
    /// The progress of a change when the agent was killed.
    struct Outcome {
        /// The number of advertising commands on the wire.
        let commands: Int
        /// Whether the new identity is in force after the restart.
        let isNew: Bool
        let wasReported: Bool
    }

    private enum Moment {
        case published
        /// The radio has the commands before this one.
        case command(Int)
        case onAir
        case saved
        case reported

        static func random(using generator: inout SeededGenerator) -> Moment {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0...1: .published
            case 2...6: .command(.random(in: 1...commandsOfRetune, using: &generator))
            case 7: .onAir
            case 8: .saved
            default: .reported
            }
        }
    }

    /// Disable, parameters, data, enable.
    private static let commandsOfRetune = 4

    private let port: UInt16
    private let deadPort: UInt16
    let id: String
    private let radio: RadioProgram
    private let wire: RadioWire
    private let witness: Subscriber
    private let publisher: Publisher
    private let folder: TemporaryFolder
    private var generator: SeededGenerator
    private var agent: Gateway
    private var sessions: Set<String> = []
    private var identity: ShownIdentity
    private var version = 1
    private let base: Int

    /// - Parameters:
    ///   - deadPort: a port without a broker.
    ///   - number: the gateway's number; every gateway has its own identities.
    init(_ broker: Broker, deadPort: UInt16, number: Int, seed: UInt64) throws {
        port = broker.port
        self.deadPort = deadPort
        id = "gateway-\(number)"
        base = number * 1000
        generator = SeededGenerator(seed: seed &+ UInt64(number))
        radio = try RadioProgram(
            .init(id: id, family: number % 2 == 0 ? "legacy" : "extended", keepsPower: true))
        wire = try RadioWire(to: radio.path)
        witness = try Subscriber(to: "sightline/v1/+/\(id)/config/reported", on: broker)
        publisher = try Publisher(broker, id: id)
        folder = try TemporaryFolder()
        identity = ShownIdentity(number: base)
        try publisher.publish(identity.document(version: version), of: .gateway)
        agent = try Self.start(port, id, wire, folder)
        try arrive(at: identity, after: identity, [[]], from: 0)
    }

    private static func start(
        _ port: UInt16, _ id: String, _ wire: RadioWire, _ folder: TemporaryFolder
    ) throws -> Gateway {
        var options = Gateway.Options()
        options.id = id
        options.radio = wire.source
        return try Gateway(port: port, options, folder: folder)
    }

    /// Changes its settings, kills it meanwhile, and restarts it.
    ///
    /// - Parameter isAlone: whether the first restart has no broker.
    func killOnce(isAlone: Bool) throws -> Outcome {
        let old = identity
        version += 1
        identity = ShownIdentity(number: base + version)
        let commands = wire.commands
        let air = radio.air.count
        let version = version
        let moment = Moment.random(using: &generator)
        if case .command(let number) = moment { wire.hold(command: number) }
        try publisher.publish(identity.document(version: version), of: .gateway)
        try wait(for: moment, after: old, since: air)
        try kill()
        let sent = wire.commands - commands
        let wasReported = witness.reports.contains { $0.versions[2] == version }
        let saved = try saved(old)
        if wasReported, saved != identity { throw TestFailure("reported, but not saved") }
        if isAlone { try restartAlone(saved) }
        sessions.formUnion(witness.reports.map(\.session))
        agent = try Self.start(port, id, wire, folder)
        // The killed agent may have advertised the new identity without saving it: the air then shows old and new again.
        let mayReturn = saved == old && sent >= Self.commandsOfRetune
        try arrive(
            at: identity, after: old,
            [[identity]] + (mayReturn ? [[identity, old, identity]] : []),
            from: air)
        return Outcome(commands: sent, isNew: saved == identity, wasReported: wasReported)
    }

    private func kill() throws {
        agent.process.send(SIGKILL)
        agent.process.waitForExit()
        // Commands on the wire still arrive, like commands in the kernel.
        try wire.waitUntilForwarded()
    }

    private func wait(for moment: Moment, after old: ShownIdentity, since air: Int) throws {
        let identity = identity
        let version = version
        switch moment {
        case .published: break
        case .command: try wire.waitUntilHeld()
        case .onAir: try radio.waitForAir(from: air) { $0.contains(identity) }
        case .saved:
            guard try Deadline.wait(until: { try saved(old) == identity }) else {
                throw TestFailure("\(identity) is not saved")
            }
        case .reported: try witness.waitForReport { $0.versions[2] == version }
        }
    }

    /// The identity in the state file.
    private func saved(_ old: ShownIdentity) throws -> ShownIdentity {
        let data = try Data(contentsOf: URL(fileURLWithPath: folder.file("state/layers.json")))
        let file = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let layers = file?["layers"] as? [String: [String: Any]]
        let document = layers?["gateway"] ?? [:]
        let section = document["advertise"] as? [String: Any] ?? [:]
        switch (document["version"] as? Int, ShownIdentity(section)) {
        case (version, identity): return identity
        case (version - 1, old): return old
        default: throw TestFailure("saved: \(String(decoding: data, as: UTF8.self))")
        }
    }

    /// Without a broker, the saved identity is on the air.
    private func restartAlone(_ saved: ShownIdentity) throws {
        agent = try Self.start(deadPort, id, wire, folder)
        try agent.waitForLog("advertising")
        try radio.waitForAir { $0.last == .some(saved) }
        try kill()
    }

    /// With the broker, the session ends with the newest identity. Every report agrees with the
    /// air.
    ///
    /// - Parameters:
    ///   - old: the earlier identity.
    ///   - ways: the identities that can follow the old one on the air.
    ///   - air: the index of the first change to check.
    private func arrive(
        at last: ShownIdentity, after old: ShownIdentity, _ ways: [[ShownIdentity]], from air: Int
    ) throws {
        let sessions = sessions
        let version = version
        let isNew = { (report: SeenReport) in
            !sessions.contains(report.session) && report.isAdvertising
        }
        let arrived = try witness.waitForReport { isNew($0) && $0.versions[2] == version }
        try radio.waitForAir(from: air) {
            $0.last == .some(last) && ways.contains(Self.way(of: $0, after: old))
        }
        guard arrived.status == "applied", arrived.isPersisted else {
            throw TestFailure("arrived with \(arrived)")
        }
        for report in witness.reports where isNew(report) {
            let isLast = report.versions == [nil, nil, version]
            guard isLast || report.versions == [nil, nil, version - 1],
                report.identity == (isLast ? last : old),
                report.radio["intervalMs"] as? Int == report.identity?.intervalMs
            else { throw TestFailure("expected \(old) or \(last), reported \(report)") }
        }
        guard try saved(last) == last else { throw TestFailure("\(last) is not saved") }
    }

    /// The identities on the air after a given one, in order.
    private static func way(
        of air: [ShownIdentity?], after old: ShownIdentity
    ) -> [ShownIdentity] {
        var way: [ShownIdentity] = []
        for identity in air.compactMap(\.self) where identity != way.last ?? old {
            way.append(identity)
        }
        return way
    }
}
