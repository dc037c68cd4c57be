import Beacons
import MQTT
import Posix
import Primitives
import Queueing
import Session
import Terminal
import Testing

@testable import Subcommands

@Suite("a survey at a broker")
struct SurveySessionTests {
    private static let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"

    private static func session() throws -> SurveySession {
        var queue = QueueLayout()
        (queue.name, queue.entry, queue.till) = ("q", ["entry-1"], ["till-1"])
        let beacon = try #require(BeaconIdentity("\(uuid)/1/17"))
        return SurveySession(queue, of: "s", beacon, root: "sightline/v1", seconds: 10)
    }

    private static func seconds(_ number: Int64) -> Instant {
        Instant(microseconds: number * 1_000_000)
    }

    /// A window of one second with the beacon, and with one of somebody else.
    private static func message(
        _ gateway: String, _ second: Int64, power: Double?
    ) -> TerminalLoop.Event {
        let start = 1_780_000_000_000 + second * 1000
        let sightings = power.map { power in
            [(17, power), (18, -30.0)].map { minor, power in
                """
                {"type":"ibeacon","uuid":"\(uuid)","major":1,"minor":\(minor),"measuredPower":-59,
                "count":5,"rssi":{"min":-90,"max":-20,"mean":\(power),"stddev":1,"last":-60},
                "power":{"mean":\(power),"centroid":450},
                "firstSeen":0,"lastSeen":900,"maxAt":100,"senders":1}
                """
            }
        }
        let text = """
            {"v":1,"site":"s","gateway":"\(gateway)","session":"0198c9a2-6f0e-7a51-9d0b-3f2b7c1e5a10",
            "seq":\(second + 1),"window":{"start":\(start),"end":\(start + 1000)},"clock":"synced",
            "radio":{"reports":9,"beacons":3,"filtered":0,"malformed":0,"implausible":0,"dropped":0},
            "sightings":[\((sightings ?? []).joined(separator: ","))]}
            """
        return .broker(
            .message(
                Message(
                    topic: "sightline/v1/s/\(gateway)/sightings", payload: Array(text.utf8),
                    isRetained: false)))
    }

    /// The question among the commands, or the exit.
    private static func words(_ commands: [TerminalLoop.Command]) -> String {
        commands.map { command in
            switch command {
            case .ask(let text), .report(let text), .writeError(let text): text
            case .exit(let code): "exit \(code)"
            default: "?"
            }
        }.joined(separator: "|")
    }

    @Test("each spot is asked for, and heard for its time alone")
    func spots() throws {
        var session = try Self.session()
        var said = Self.words(session.on(.broker(.subscribed), at: Self.seconds(0)))
        #expect(said.hasPrefix("1/4  Stand beside entry-1"))
        // Windows before the newest ten seconds are of the way to the spot.
        _ = session.on(Self.message("entry-1", 0, power: -20), at: Self.seconds(0))
        _ = session.on(.answer(""), at: Self.seconds(1))
        for second in Int64(1)..<13 {
            let power = second < 3 ? -20.0 : -50
            _ = session.on(
                Self.message("entry-1", second, power: power), at: Self.seconds(second))
            _ = session.on(Self.message("till-1", second, power: nil), at: Self.seconds(second))
        }
        said = Self.words(session.on(.tick, at: Self.seconds(13)))
        #expect(said.hasPrefix("2/4  Stand in the middle"))
        let own = session.survey.level(of: "entry-1", at: .gateway("entry-1"))
        #expect(own?.powers.count == 10 && own.flatMap(\.mean).map { abs($0 + 50) < 0.01 } == true)
        #expect(session.survey.level(of: "till-1", at: .gateway("entry-1"))?.heard == 0)
        // A spot is left out.
        said = Self.words(session.on(.answer(" s "), at: Self.seconds(14)))
        #expect(said.hasPrefix("3/4"))
        #expect(session.survey.level(of: "entry-1", at: .middle) == nil)
    }

    @Test("the report has a row for each spot, what to expect, and the key for the server")
    func report() throws {
        var session = try Self.session()
        _ = session.on(.broker(.subscribed), at: Self.seconds(0))
        for spot in Int64(0)..<4 {
            _ = session.on(.answer(""), at: Self.seconds(spot * 20))
            for second in (spot * 20 + 3)..<(spot * 20 + 12) {
                for (gateway, own) in [("entry-1", Int64(0)), ("till-1", 2)] {
                    let power = -50 - 12 * Double(abs(spot - own))
                    _ = session.on(
                        Self.message(gateway, second, power: power), at: Self.seconds(second))
                }
            }
            _ = session.on(.tick, at: Self.seconds(spot * 20 + 12))
        }
        var site = SiteLayout()
        site.site = "s"
        site.closeLevels = ["other", "till-1"].map { SurveyedLevel(gateway: $0, power: -40) }
        let report = SurveyReport(session.survey, of: site)
        let lines = report.text.split(separator: "\n")
        #expect(lines[1] == "entry-1  -50 dBm ±1  -74 dBm ±1" && lines.count == 9)
        #expect(lines[5] == "The gateways tell the ends of the line apart, and hear its middle.")
        #expect(lines[6].contains("find 92 to 98 of 100 visits. Of 100 found"))
        let pairs = [("other", -40), ("entry-1", -50), ("till-1", -50)].map {
            "{\"gateway\":\"\($0)\",\"dBm\":\($1)}"
        }
        #expect(lines[8] == "\"closeLevels\": [\(pairs.joined(separator: ","))]")
        #expect(report.json["dropDb"] == .integer(24) || report.json["dropDb"] == .number(24))
    }

    @Test("after a lost connection, the spot begins again; the last one ends the command")
    func lost() throws {
        var session = try Self.session()
        _ = session.on(.broker(.subscribed), at: Self.seconds(0))
        _ = session.on(.answer(""), at: Self.seconds(0))
        #expect(Self.words(session.on(.broker(.lost("away")), at: Self.seconds(5))) == "away")
        // Nobody listens to this answer.
        #expect(session.on(.answer(""), at: Self.seconds(5)).isEmpty)
        #expect(session.on(.tick, at: Self.seconds(20)).isEmpty)
        let again = Self.words(session.on(.broker(.subscribed), at: Self.seconds(21)))
        #expect(again.hasPrefix("1/4"))
        for _ in 0..<3 { _ = session.on(.answer("s"), at: Self.seconds(22)) }
        #expect(Self.words(session.on(.answer("s"), at: Self.seconds(23))) == "exit done")
        #expect(session.survey.faults == [])
    }

    @Test("without standard input, nothing is measured")
    func noInput() throws {
        var session = try Self.session()
        _ = session.on(.broker(.subscribed), at: Self.seconds(0))
        let said = Self.words(session.on(.answer(nil), at: Self.seconds(0)))
        #expect(said.hasSuffix("exit failed"))
    }
}
