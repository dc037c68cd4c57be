import Contract
import Glibc
import JSON
import MQTT
import MessageSamples
import Posix
import Primitives
import Subscriber
import TestSupport

@testable import Subcommands

/// Gateways that answer documents over one connection, on their own thread.
final class FakeGateways {
    enum Manner: Sendable {
        case applies
        /// Rejects every document.
        case rejects
        /// Its controller refuses.
        case refuses
        case silent
        /// Silent, with a published will.
        case offline
        /// Applies, and its radio hears nothing.
        case deaf
        /// Applies, but reports only after a message on its topic `go`.
        case hesitates
    }

    /// The state of one gateway.
    private struct Gateway {
        let topics: Topics
        let manner: Manner
        var versions = LayerVersions()
        var digests = LayerDigests()
        var since = LayerTimes()
        var held: [UInt8]?
        /// As an agent, it reports the faults of all documents that are not in force.
        var faults: [Topics.Layer: LayerFault] = [:]
    }

    /// When all documents come into force, by the gateways' clocks.
    static let applied: UnixTime = 1_780_000_000_000

    private let stopping: EventCounter
    private var thread: Posix.Thread?

    /// Connects, publishes status and report, and waits for the acknowledgements.
    ///
    /// - Parameter remembered: the versions in force at the start.
    init(
        _ manners: [GatewayName: Manner], on broker: Broker,
        remembered: LayerVersions = LayerVersions()
    ) throws {
        BrokenPipes.ignore()
        stopping = try EventCounter()
        let ready = try EventCounter()
        let settings = ConnectionSettings(host: "127.0.0.1", port: broker.port)
        var gateways: [GatewayName: Gateway] = [:]
        for (name, manner) in manners {
            guard let topics = Topics(site: name.site, gateway: name.id) else { continue }
            var digests = LayerDigests()
            for layer in Topics.Layer.allCases where remembered[layer] != nil {
                digests[layer] = SHA256Digest(of: [])
            }
            gateways[name] = Gateway(
                topics: topics, manner: manner, versions: remembered, digests: digests)
        }
        let parts = gateways
        let stopNumber = dup(stopping.descriptor.rawValue)
        let readyNumber = dup(ready.descriptor.rawValue)
        thread = try Posix.Thread(name: "gateways") {
            var work = Work(
                gateways: parts, settings: settings, stop: stopNumber, ready: readyNumber)
            work.run()
            close(stopNumber)
            close(readyNumber)
        }
        let events = try Poll.wait(
            for: [Poll.Interest(ready.descriptor.rawValue)], timeout: 120_000)
        guard events.first?.isEmpty == false else { throw TestFailure("no gateways") }
    }

    deinit {
        stopping.signal()
        thread.take()?.join()
    }

    /// The work of the thread.
    private struct Work {
        private static let session = "0198c9a2-6f0e-7a51-9d0b-3f2b7c1e5a10"
        var gateways: [GatewayName: Gateway]
        let settings: ConnectionSettings
        let stop: CInt
        let ready: CInt
        private var connection: Connection?
        private var unsent: [Publication] = []
        private var unsubscribed = 0
        private var isReady = false
        /// The gateways that each topic concerns: a fleet's messages must not cost its square.
        private var concerned: [String: [GatewayName]] = [:]

        init(
            gateways: [GatewayName: Gateway], settings: ConnectionSettings, stop: CInt, ready: CInt
        ) {
            self.gateways = gateways
            for name in gateways.keys {
                let layers = [LayerName(), LayerName(site: name.site), LayerName(name)]
                for topic in layers.map({ $0.topic(root: Topics.usualRoot) })
                    + ["sightline/v1/\(name)/go"]
                {
                    concerned[topic, default: []].append(name)
                }
            }
            self.settings = settings
            self.stop = stop
            self.ready = ready
        }

        mutating func run() {
            while true {
                if connection == nil { connection = try? Connection(to: settings, version: .v5) }
                let interests = [Poll.Interest(stop), connection?.interest].compactMap(\.self)
                // Without a broker, the connection is repeated.
                guard let events = try? Poll.wait(for: interests, timeout: 100),
                    events[0].isEmpty
                else { return }
                for event in connection?.service(events.count > 1 ? events[1] : []) ?? [] {
                    take(event)
                }
                while let next = unsent.first, let connection, connection.isConnected,
                    connection.unacknowledged < 20
                {
                    guard (try? connection.publish(next, token: 0)) != nil else { break }
                    unsent.removeFirst()
                }
                if !isReady, unsubscribed == 0, unsent.isEmpty, connection?.isConnected == true,
                    connection?.unacknowledged == 0
                {
                    isReady = true
                    var one: UInt64 = 1
                    _ = write(ready, &one, 8)
                }
            }
        }

        private mutating func take(_ event: ConnectionEvent) {
            switch event {
            case .connected:
                unsent = []
                let filters = [
                    "sightline/v1/config/desired", "sightline/v1/+/config/desired",
                    "sightline/v1/+/+/config/desired", "sightline/v1/+/+/go",
                ]
                unsubscribed = filters.count
                try? connection?.subscribe(to: filters)
                for name in gateways.keys { announce(name) }
            case .subscribed: unsubscribed -= 1
            case .message(let message): take(message)
            case .ended: connection = nil
            case .acknowledged, .oversized: break
            }
        }

        private mutating func announce(_ name: GatewayName) {
            guard let gateway = gateways[name] else { return }
            let state: StatusMessage.State =
                switch gateway.manner {
                case .offline: .offline
                case .deaf: .degraded
                default: .online
                }
            let status = Samples.status(state, session: Self.session)
            publish(.status, of: gateway, status.encoded)
            publish(.reported, of: gateway, report(gateway, .applied, []).encoded)
        }

        private mutating func take(_ message: Message) {
            for name in concerned[message.topic] ?? [] {
                guard let gateway = gateways[name] else { continue }
                if message.topic == "sightline/v1/\(name)/go", let held = gateway.held {
                    publish(.reported, of: gateway, held)
                }
                guard let layer = gateway.topics.layer(of: message.topic) else { continue }
                if message.payload.isEmpty { remove(layer, name) }
                guard let document = try? LayerDocument(parsing: message.payload) else { continue }
                answer(document, layer, name)
            }
        }

        private mutating func remove(_ layer: Topics.Layer, _ name: GatewayName) {
            guard var gateway = gateways[name], case .applies = gateway.manner else { return }
            gateway.versions[layer] = nil
            gateway.digests[layer] = nil
            gateway.since[layer] = nil
            gateways[name] = gateway
            publish(.reported, of: gateway, report(gateway, .applied, []).encoded)
        }

        private mutating func answer(
            _ document: LayerDocument, _ layer: Topics.Layer, _ name: GatewayName
        ) {
            guard var gateway = gateways[name] else { return }
            defer { gateways[name] = gateway }
            func fault(_ code: Fault.Code, _ sentence: String) -> LayerFault {
                Reports.fault(layer, document.version, "/advertise/major", code, sentence)
            }
            switch gateway.manner {
            case .silent, .offline: return
            case .rejects:
                gateway.faults[layer] = fault(.outOfRange, "not this one")
                let message = report(gateway, .rejected, Array(gateway.faults.values))
                publish(.reported, of: gateway, message.encoded)
            case .refuses:
                gateway.faults[layer] = fault(.controllerRefused, "Command Disallowed (0x0c)")
                let message = report(gateway, .refused, Array(gateway.faults.values))
                publish(.reported, of: gateway, message.encoded)
            case .applies, .deaf, .hesitates:
                if document.version > gateway.versions[layer] ?? 0 {
                    gateway.versions[layer] = document.version
                    gateway.digests[layer] = document.digest
                    gateway.since[layer] = FakeGateways.applied
                }
                let message = report(gateway, .applied, []).encoded
                if case .hesitates = gateway.manner {
                    gateway.held = message
                } else {
                    publish(.reported, of: gateway, message)
                }
            }
        }

        private func report(
            _ gateway: Gateway, _ status: ReportedMessage.Status, _ errors: [LayerFault]
        ) -> ReportedMessage {
            // The contract's schema is checked against every message on a test broker.
            var message = Reports.message(
                fleet: gateway.versions.fleet, site: gateway.versions.site,
                gateway: gateway.versions.gateway, status, errors,
                session: Self.session)
            let identity = Samples.identity(7)
            message.digests = gateway.digests
            message.since = gateway.since
            message.effective =
                GatewaySettings(
                    advertise: AdvertiseSettings(
                        uuid: identity.uuid, major: identity.major, minor: identity.minor)
                ).json
            message.radio.intervalMs = 100
            return message
        }

        private mutating func publish(
            _ kind: Topics.Kind, of gateway: Gateway, _ payload: [UInt8]
        ) {
            unsent.append(
                Publication(topic: gateway.topics.topic(kind), payload: payload, isRetained: true))
        }
    }
}
