import Agent
import Contract
import Glibc
import HCI
import Logging
import MQTT
import Outbox
import Posix
import Primitives
import Radio
import SimulatedRadio
import TestSupport
import VirtualRadio

/// Gateways in the test's own process: each with the agent's uplink on its thread, its supervisor and a strict controller;
/// the receivers and controllers take turns on one thread.
final class SimulatedFleet {
    /// A gateway's name, and the command that its controller refuses.
    struct Member: Sendable {
        let site: String
        let id: String
        var refuses: Opcode?

        var name: String { "\(site)/\(id)" }
    }

    private let stopping: EventCounter
    private let leaving = Leaving()
    private let folder: TemporaryFolder
    private var thread: Posix.Thread?

    private final class Leaving: Sendable {
        let names = Guarded<Set<String>>([])
    }

    private enum Timing {
        /// The interval between two turns in milliseconds.
        static let turn = 5
    }

    init(_ members: [Member], to broker: ConnectionSettings) throws {
        BrokenPipes.ignore()
        try Self.allowDescriptors(members.count * 10)
        stopping = try EventCounter()
        folder = try TemporaryFolder()
        let stop = dup(stopping.descriptor.rawValue)
        let path = folder.path
        thread = try Thread(name: "fleet") { [leaving] in
            let stop = Descriptor(owning: stop)
            var gateways: [String: SimulatedGateway] = [:]
            for member in members {
                gateways[member.name] = try? SimulatedGateway(
                    member, to: broker, folder: path + "/" + member.name)
            }
            let interest = Poll.Interest(stop.rawValue)
            while let ready = try? Poll.wait(for: [interest], timeout: Timing.turn),
                ready[0].isEmpty
            {
                for name in leaving.names.withLock({ $0 }) {
                    gateways.removeValue(forKey: name)?.end()
                }
                for gateway in gateways.values { gateway.visit() }
            }
            for gateway in gateways.values { gateway.end() }
        }
    }

    deinit {
        stopping.signal()
        thread.take()?.join()
    }

    /// Ends some gateways regularly.
    func end(_ names: some Sequence<String>) {
        leaving.names.withLock { $0.formUnion(names) }
    }

    /// Raises the limit of descriptors, because each gateway needs several (getrlimit(2)).
    private static func allowDescriptors(_ count: Int) throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, rlim_t(count) + 500))
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur >= rlim_t(count)
        else { throw TestFailure("not enough descriptors: \(limit.rlim_cur)") }
    }
}

/// One gateway of the fleet.
private final class SimulatedGateway {
    private let uplink: UplinkThread
    private let transport: SimulatedTransport
    private let supervisor: RadioSupervisor
    private var sentState: ControllerState?

    init(_ member: SimulatedFleet.Member, to broker: ConnectionSettings, folder: String) throws {
        guard let topics = Topics(site: member.site, gateway: member.id) else {
            throw TestFailure("no topics")
        }
        let log = Log(level: .silent)
        let store = LayerStore(folder: folder, topics: topics)
        let tuning = try GatewaySettings(merged: .object([]))
        var connection = broker
        connection.clientID = "fleet-\(member.site)-\(member.id)"
        connection.maximumPayload = LayerDocument.maxBytes
        var settings = Uplink.Settings(
            topics: topics, session: Session(milliseconds: 0, random: (Random.word(), 0)),
            version: "0", broker: connection, protocolChoice: .automatic, limits: OutboxLimits(),
            restamps: true)
        settings.reconciler = SettingsReconciler(
            local: .object([]), settings: tuning, restored: store.load(log: log))
        settings.store = store
        let uplink = try UplinkThread(settings, log: log)
        let transport = SimulatedTransport(family: .legacy)
        transport.now = Self.now
        if let opcode = member.refuses {
            transport.controller.misbehave(
                .refuse(opcode, .limitedResources, times: nil), at: Self.now)
        }
        supervisor = RadioSupervisor(
            settings: tuning, maxIdentities: 1000, log: log, at: Self.now,
            open: { desired, now throws(RadioFailure) in
                try LiveRadio(
                    transport, source: .raw(device: 0), advertising: desired, at: now)
            },
            answer: { uplink.post(.answer($0, $1)) }, emit: { uplink.post($0, $1.stamp) })
        self.uplink = uplink
        self.transport = transport
    }

    private static var now: Instant { .now }

    /// One turn of the agent's radio process.
    func visit() {
        let now = Self.now
        transport.now = now
        for order in uplink.takeOrders() { try? supervisor.apply(order, at: now) }
        try? supervisor.update(at: now)
        let standing = supervisor.controllerState
        if standing != sentState, uplink.post(.controller(standing)) { sentState = standing }
    }

    func end() {
        supervisor.finish(at: Self.now)
        uplink.post(.controller(supervisor.controllerState))
        uplink.post(.stop)
    }
}
