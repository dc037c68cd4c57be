import Contract
import Glibc
import MQTT
import Posix
import Primitives
import Session
import Subscriber
import Terminal

/// `sightline tune --history` while it runs: retained documents and reports become entries.
struct HistorySession: TerminalProgram {
    private let place: LayerName
    private let root: String
    private let isJSON: Bool
    private let isVerbose: Bool
    private let environment: Environment
    private var roster = Roster()
    private var documents: [LayerName: RetainedDocument] = [:]
    private var barrier = RetainedBarrier()

    init(_ command: TuneCommand, _ environment: Environment) {
        place = command.name
        root = command.connection.root
        isJSON = command.json
        isVerbose = command.isVerbose
        self.environment = environment
    }

    /// The status of all gateways, for the nearest names; documents and reports of the place.
    static func filters(of place: LayerName, root: String) -> [String] {
        let (site, gateway) = (place.site, place.gateway)
        return [
            Topics.filter(.status, root: root),
            Topics.filter(.reported, root: root, site: site, gateway: gateway),
            Topics.desired(root: root), Topics.desired(root: root, site: site ?? "+"),
            Topics.desired(root: root, site: site ?? "+", gateway: gateway ?? "+"),
        ]
    }

    var deadline: Instant? { barrier.deadline }

    mutating func on(_ event: TerminalLoop.Event, at now: Instant) -> [TerminalLoop.Command] {
        switch event {
        case .broker(let event): return on(event, at: now)
        case .noAnswer(let address): return [.report("waiting for an answer from \(address)")]
        case .interrupted: return [.exit(.failed)]
        case .tick: return barrier.isComplete(at: now) ? complete() : []
        case .resized, .key, .answer: return []
        }
    }

    mutating func render(at now: Instant) -> [TerminalLoop.Command] { [] }

    private mutating func on(
        _ event: BrokerSession.Event, at now: Instant
    ) -> [TerminalLoop.Command] {
        switch event {
        case .message(let message):
            take(message)
            if message.isRetained { barrier.received(at: now) }
        case .oversized(let topic, let bytes):
            if let name = LayerName(topic: topic, root: root) {
                documents[name] = RetainedDocument(oversized: bytes)
            } else if let name = GatewayName.parse(topic, root: root)?.name {
                roster.onOversizedReport(of: name, bytes: bytes)
            }
            barrier.received(at: now)
        case .subscribed: barrier.subscribed(at: now)
        case .lost(let message), .failed(let message):
            return [.report(message), .exit(.failed)]
        case .connected(let abilities, _) where !abilities.retains:
            return [
                .report("broker keeps no retained messages, so there is no history"),
                .exit(.failed),
            ]
        case .connected, .acknowledged, .subscription, .ended, .retains, .switched: break
        }
        return []
    }

    private mutating func take(_ message: Message) {
        if let name = LayerName(topic: message.topic, root: root) {
            documents[name] =
                message.payload.isEmpty
                ? nil : RetainedDocument(message.payload, Provenance(message.userProperties))
        } else if let (name, kind) = GatewayName.parse(message.topic, root: root) {
            roster.on(kind, of: name, payload: message.payload)
        }
    }

    /// All retained messages have arrived.
    private func complete() -> [TerminalLoop.Command] {
        let names = roster.gateways.keys.sorted()
        NameCache(environment).store(names)
        if let fault = fault(names) { return [.report(fault), .exit(.wrongUse)] }
        let history = LayerHistory(of: place, documents, roster)
        let lines =
            isJSON
            ? history.entries.map { $0.json(root: root).text }
            : HistoryReport(
                history: history, isVerbose: isVerbose, colours: environment.colours,
                unicode: environment.isUTF8
            ).lines
        return lines.map { .write($0 + "\n") } + [.exit(.done)]
    }

    /// Why there is no history: an unknown place, with the nearest names.
    private func fault(_ names: [GatewayName]) -> String? {
        guard documents[place] == nil else { return nil }
        guard !names.isEmpty else {
            return documents.isEmpty ? UnknownName.noGateway(below: root) : nil
        }
        guard let site = place.site else { return nil }
        let siblings = names.filter { $0.site == site }.map(\.id)
        guard !siblings.isEmpty else {
            return UnknownName.sentence(
                "site \(site)", nearest: site, among: Set(names.map(\.site)).sorted())
        }
        guard let gateway = place.gateway, !siblings.contains(gateway) else { return nil }
        return UnknownName.sentence("gateway \(site)/\(gateway)", nearest: gateway, among: siblings)
    }
}
