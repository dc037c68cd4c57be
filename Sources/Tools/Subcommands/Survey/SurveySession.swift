import Beacons
import Contract
import Primitives
import Queueing
import Session
import Terminal

/// `sightline survey` while it runs: asks for one spot after the other, and listens there.
struct SurveySession: TerminalProgram {
    private(set) var survey: QueueSurvey
    private let site: String
    private let beacon: BeaconIdentity
    private let root: String
    private let seconds: Int
    /// Those that are still to come; the first one is asked for, or listened at.
    private var spots: [SurveySpot]
    private let number: Int
    private var phase = Phase.connecting

    private enum Phase {
        case connecting
        case asked
        /// Until the time, with the windows of each gateway.
        case listening(until: Instant, [String: [SurveyWindow]])
    }

    /// Windows arrive some seconds after their time.
    private static let settling = Duration.seconds(2)

    init(
        _ queue: QueueLayout, of site: String, _ beacon: BeaconIdentity, root: String,
        seconds: Int
    ) {
        survey = QueueSurvey(queue)
        spots = SurveySpot.all(of: queue)
        number = spots.count
        (self.site, self.beacon, self.root, self.seconds) = (site, beacon, root, seconds)
    }

    var filters: [String] {
        survey.queue.gateways.map {
            Topics.filter(.sightings, root: root, site: site, gateway: $0)
        }
    }

    var deadline: Instant? {
        if case .listening(let end, _) = phase { end } else { nil }
    }

    mutating func on(_ event: TerminalLoop.Event, at now: Instant) -> [TerminalLoop.Command] {
        switch event {
        case .broker(.message(let message)):
            guard case .listening(let end, var windows) = phase,
                case (let topic, .sightings)? = Topics.parse(message.topic, root: root),
                let sightings = try? SightingsMessage(decoding: message.payload)
            else { return [] }
            windows[topic.gateway, default: []].append(window(sightings))
            phase = .listening(until: end, windows)
        case .broker(.subscribed):
            // After a lost connection, the spot begins again.
            phase = .asked
            return [ask()]
        case .broker(.lost(let text)):
            phase = .connecting
            return [.report(text)]
        case .broker(.failed(let text)): return [.report(text), .exit(.failed)]
        case .noAnswer(let address): return [.report("waiting for an answer from \(address)")]
        case .interrupted: return [.exit(.failed)]
        case .answer(nil):
            return [
                .report("standard input has ended: each spot needs an answer"), .exit(.failed),
            ]
        case .answer(let text?):
            guard case .asked = phase else { return [] }
            if text.filter({ !$0.isWhitespace }) == "s" {
                survey.skip(spots[0])
                return next()
            }
            phase = .listening(until: now + .seconds(Int64(seconds)) + Self.settling, [:])
            return [.writeError("listening for \(seconds) s: stand still\n")]
        case .tick:
            guard case .listening(let end, let windows) = phase, now >= end else { return [] }
            for (gateway, windows) in windows {
                survey.set(SpotLevel(windows, seconds: seconds), of: gateway, at: spots[0])
            }
            return next()
        default: break
        }
        return []
    }

    mutating func render(at now: Instant) -> [TerminalLoop.Command] { [] }

    private func window(_ message: SightingsMessage) -> SurveyWindow {
        let sighting = message.sightings.first { $0.identity == beacon && !$0.isEcho }
        let heard = sighting.flatMap { sighting in
            sighting.signal.map {
                SurveyWindow.Heard(power: $0.powerMean, reports: sighting.count)
            }
        }
        return SurveyWindow(
            span: message.windowStart..<message.windowEnd, isListening: message.state == .hearing,
            heard: heard)
    }

    private mutating func next() -> [TerminalLoop.Command] {
        phase = .asked
        spots.removeFirst()
        return [spots.isEmpty ? .exit(.done) : ask()]
    }

    private func ask() -> TerminalLoop.Command {
        let place =
            switch spots[0] {
            case .gateway(let name):
                "beside \(name), \(role(of: name))"
            case .middle: "in the middle of the line"
            case .beside: "beside the line, where people look at goods"
            }
        return .ask("\(number - spots.count + 1)/\(number)  Stand \(place), and press Enter: ")
    }

    private func role(of gateway: String) -> String {
        survey.queue.entry.contains(gateway)
            ? "where people join the line"
            : survey.queue.till.contains(gateway) ? "where they pay" : "along the line"
    }
}
