import Beacons
import Contract
import Facts
import Glibc
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
    private var isConnected = false
    /// `nil` while the question is open.
    private var listening: Listening?

    /// What the gateways have heard at the present spot.
    private struct Listening {
        let span: Range<Instant>
        /// By gateway and second: the sum of power, and the number of reports.
        var heard: [String: [UnixSecond: (milliwatts: Double, reports: Double)]] = [:]
    }

    /// Windows of the time before arrive in these seconds.
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

    var deadline: Instant? { listening?.span.upperBound }

    mutating func on(_ event: TerminalLoop.Event, at now: Instant) -> [TerminalLoop.Command] {
        switch event {
        case .broker(.message(let message)):
            guard listening?.span.contains(now) == true,
                case (let topic, .sightings)? = Topics.parse(message.topic, root: root),
                let sightings = try? SightingsMessage(decoding: message.payload)
            else { return [] }
            hear(sightings, from: topic.gateway)
            return []
        case .broker(.subscribed):
            defer { isConnected = true }
            return isConnected && listening == nil ? [] : ask()
        case .broker(.lost(let text)):
            return [.report(text)] + again()
        case .broker(.failed(let text)): return [.report(text), .exit(.failed)]
        case .noAnswer(let address): return [.report("waiting for an answer from \(address)")]
        case .interrupted: return [.exit(.failed)]
        case .answer(let text):
            if text.filter({ !$0.isWhitespace }) == "s" { return next() }
            let start = now + Self.settling
            listening = Listening(span: start..<start + .seconds(Int64(seconds)))
            return [.writeError("listening for \(seconds) s: stand still\n")]
        case .tick:
            guard let listening, now >= listening.span.upperBound else { return [] }
            note(listening)
            return next()
        default: return []
        }
    }

    mutating func render(at now: Instant) -> [TerminalLoop.Command] { [] }

    private mutating func hear(_ message: SightingsMessage, from gateway: String) {
        var heard = listening?.heard[gateway] ?? [:]
        for sighting in message.sightings where sighting.identity == beacon && !sighting.isEcho {
            guard let signal = sighting.signal else { continue }
            // A window wider than a second fills its first one: the agent makes those only without beacons.
            var second = heard[UnixSecond(containing: message.windowStart)] ?? (0, 0)
            second.milliwatts += pow(10, signal.powerMean / 10) * Double(sighting.count)
            second.reports += Double(sighting.count)
            heard[UnixSecond(containing: message.windowStart)] = second
        }
        listening?.heard[gateway] = heard
    }

    /// Ends a spot.
    private mutating func note(_ listening: Listening) {
        for (gateway, heard) in listening.heard {
            let powers = heard.values.filter { $0.reports > 0 }.map {
                10 * log10($0.milliwatts / $0.reports)
            }
            let reports = heard.values.reduce(0) { $0 + $1.reports }
            survey.set(
                SpotLevel(powers: powers.sorted(), seconds: seconds, reports: Int(reports)),
                of: gateway, at: spots[0])
        }
    }

    private mutating func next() -> [TerminalLoop.Command] {
        listening = nil
        spots.removeFirst()
        return spots.isEmpty ? [.exit(.done)] : ask()
    }

    /// After a lost connection, the spot begins again.
    private mutating func again() -> [TerminalLoop.Command] {
        guard listening != nil else { return [] }
        listening = nil
        return ask()
    }

    private func ask() -> [TerminalLoop.Command] {
        let place =
            switch spots[0] {
            case .gateway(let name):
                "beside \(name), \(role(of: name))"
            case .middle: "in the middle of the line"
            case .beside: "beside the line, where people look at goods"
            }
        return [
            .ask("\(number - spots.count + 1)/\(number)  Stand \(place), and press Enter: ")
        ]
    }

    private func role(of gateway: String) -> String {
        survey.queue.entry.contains(gateway)
            ? "where people join the line"
            : survey.queue.till.contains(gateway) ? "where they pay" : "along the line"
    }
}
