import Contract
import JSON
import Primitives
import Sightings
import Subscriber

/// The retained messages of made-up gateways.
enum Fleet {
    static let start: UnixTime = 1_780_000_000_000

    /// A message on a topic.
    typealias Retained = (topic: String, payload: [UInt8])

    enum Failure: Equatable {
        case offline
        case deaf
        case faulty
        case refused
        case unsynced
        case backlog
        case pending
        case expiring
    }

    static func topic(_ name: GatewayName, _ kind: Topics.Kind) -> String {
        "sightline/v1/\(name)/\(kind.rawValue)"
    }

    /// The documents of the fleet and of each site, version 3.
    static func documents(sites: [String]) -> [Retained] {
        let text = #"{"version":3,"advertise":{"major":42}}"#
        return [("sightline/v1/config/desired", Array(text.utf8))]
            + sites.map { ("sightline/v1/\($0)/config/desired", Array(text.utf8)) }
    }

    /// Status, health and report of a gateway.
    static func messages(_ name: GatewayName, _ failure: Failure? = nil) -> [Retained] {
        let state: StatusMessage.State =
            switch failure {
            case .offline: .offline
            case .deaf, .faulty: .degraded
            default: .online
            }
        let clock: ClockState = failure == .unsynced ? .unsynced : .synced
        let status = StatusMessage(
            state: state, session: "run-1", at: start, version: "0.1.0", clock: clock)
        return [
            (topic(name, .status), status.encoded),
            (topic(name, .health), health(failure).encoded),
            (topic(name, .reported), report(failure).encoded),
        ]
    }

    private static func health(_ failure: Failure?) -> Health {
        var health = Health(session: "run-1", at: start + .seconds(60), uptime: .seconds(7200))
        health.clock.state = failure == .unsynced ? .unsynced : .synced
        health.radio.isHearing = failure != .deaf
        health.radio.reportsPerSecond = failure == .deaf ? 0 : 412
        health.radio.lastReportAge = failure == .deaf ? .seconds(240) : .milliseconds(12)
        health.radio.steps.gaveUp = failure == .deaf ? 2 : 0
        health.broker = "broker.example:8883"
        if failure == .expiring { health.certificateExpiresAt = health.at + .seconds(900_000) }
        if failure == .backlog {
            health.outbox.batches = 1203
            health.outbox.oldestAge = .milliseconds(250_000)
            health.outbox.stored = 1203
        }
        return health
    }

    private static func report(_ failure: Failure?) -> ReportedMessage {
        let document = try? LayerDocument(
            parsing: Array(#"{"version":3,"advertise":{"major":42}}"#.utf8))
        let site: Int64 = failure == .pending ? 2 : 3
        let fault = LayerFault(
            layer: .gateway, version: 8,
            fault: Fault(.root, .controllerRefused, "the controller refused the parameters"))
        return ReportedMessage(
            session: "run-1", versions: LayerVersions(fleet: 3, site: site),
            digests: LayerDigests(
                fleet: document?.digest, site: failure == .pending ? nil : document?.digest),
            status: failure == .refused ? .refused : .applied,
            errors: failure == .refused ? [fault] : [],
            effective: [
                "advertise": ["enabled": true, "major": 42], "report": ["windowMs": 1000],
            ],
            radio: ReportedMessage.Radio(advertising: true, intervalMs: 100), isPersisted: true)
    }

    /// 200 gateways in 20 sites: three are offline, one is deaf, one is refused.
    static let failures: [Int: Failure] = [
        5: .offline, 77: .offline, 199: .offline, 40: .deaf, 141: .refused,
    ]

    static var large: [Retained] {
        let names = (0..<200).map { GatewayName(site: "store-\($0 / 10)", id: "gate-\($0)") }
        return documents(sites: (0..<20).map { "store-\($0)" })
            + names.enumerated().flatMap { messages($1, failures[$0]) }
    }
}
