import Contract
import Inventory
import MQTT
import Primitives
import Session
import Subscriber
import Terminal

/// Listens to the gateways of a broker for some time.
struct HearingSession: TerminalProgram {
    let root: String
    private let seconds: Int64
    private var recording: HeardRecording
    private let site: String?
    private var end: Instant?

    init(root: String, site: String?, seconds: Int64) {
        self.root = root
        self.site = site
        self.seconds = seconds
        recording = HeardRecording(site: site)
    }

    var heard: HeardBeacons { recording.heard }

    var filters: [String] { [Topics.filter(.sightings, root: root, site: site)] }

    var deadline: Instant? { end }

    mutating func on(_ event: TerminalLoop.Event, at now: Instant) -> [TerminalLoop.Command] {
        switch event {
        case .broker(.message(let message)):
            guard case (let topics, .sightings)? = Topics.parse(message.topic, root: root),
                let sightings = try? SightingsMessage(decoding: message.payload)
            else { return [] }
            recording.take(sightings, from: topics)
            return []
        case .broker(.subscribed):
            end = end ?? now + .seconds(seconds)
            return []
        case .broker(.lost(let text)): return [.report(text)]
        case .broker(.failed(let text)): return [.report(text), .exit(.failed)]
        case .noAnswer(let address): return [.report("waiting for an answer from \(address)")]
        case .interrupted: return [.exit(end == nil ? .failed : .done)]
        case .tick: return end.map { $0 <= now } ?? false ? [.exit(.done)] : []
        default: return []
        }
    }

    mutating func render(at now: Instant) -> [TerminalLoop.Command] { [] }
}
