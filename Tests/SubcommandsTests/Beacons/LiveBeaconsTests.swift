import MQTT
import Primitives
import Results
import Terminal
import Testing

@testable import Subcommands

@Suite("live beacons")
struct LiveBeaconsTests {
    private let now = Instant(microseconds: 0)
    private let later = Instant(microseconds: 10_000_000)
    private static let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"

    private func program(
        showsWork: Bool = false, follows: Bool = false, json: Bool = false,
        _ states: [(minor: Int, text: String)] = []
    ) -> LiveResults {
        var live = LiveResults(
            .init(topics: ResultTopics(), site: "s", follows: follows, json: json),
            LiveBeacons.content(showsWork: showsWork))
        _ = live.on(.broker(.subscribed), at: now)
        for (minor, text) in states {
            let message = Message(
                topic: "sightline/results/v1/s/beacons/\(Self.uuid)/1/\(minor)",
                payload: Array(text.utf8), isRetained: true)
            _ = live.on(.broker(.message(message)), at: now)
        }
        return live
    }

    private static func state(_ word: String, name: String, work: String = "null") -> String {
        """
        {"kind":"beacon","name":"\(name)","carrier":"fixed","registered":{"zone":null},"state":"\(word)",
         "work":\(work),"lastHeard":null,"battery":null}
        """
    }
    private static let battery = state(
        "battery", name: "a", work: #"{"withinDays":20.4,"sentence":"Battery of a is low."}"#)
    private static let missing = state(
        "missing", name: "b", work: #"{"withinDays":1,"sentence":"b is missing."}"#)

    @Test("what needs a person comes first, and a missing beacon ends the command with 3")
    func table() {
        var live = program([(1, Self.state("ok", name: "x")), (2, Self.battery), (3, Self.missing)])
        #expect(live.filters.first == "sightline/results/v1/s/beacons/+/+/+")
        let end = live.on(.tick, at: later)
        #expect(
            end.map { if case .write(let text) = $0 { text } else { "" } }.joined()
                == """
                SITE  BEACON                                    NAME  KIND   ZONE  STATE    LAST HEARD  MV  EVIDENCE
                s     \(Self.uuid)/1/3  b     fixed        missing  never           b is missing.
                s     \(Self.uuid)/1/2  a     fixed        battery  never           Battery of a is low.
                s     \(Self.uuid)/1/1  x     fixed        ok       never
                3 beacons: 1 missing, 1 battery, 1 ok

                """)
        #expect(end.last == .exit(.partlyDone))
        var fine = program([(1, Self.battery)])
        #expect(fine.on(.tick, at: later).last == .exit(.done))
    }

    @Test("--work shows the work list alone")
    func work() {
        var live = program(
            showsWork: true,
            [(1, Self.state("ok", name: "x")), (2, Self.battery), (3, Self.missing)])
        let end = live.on(.tick, at: later)
        #expect(
            end.dropFirst() == [
                .write("   1  s     \(Self.uuid)/1/3  b is missing.\n"),
                .write("  20  s     \(Self.uuid)/1/2  Battery of a is low.\n"), .exit(.partlyDone),
            ])
        var fine = program(showsWork: true, [(1, Self.state("ok", name: "x"))])
        #expect(fine.on(.tick, at: later).first == .write("no beacon needs anything\n"))
    }

    @Test("--work has the same beacons and order as JSON, and takes any number of days")
    func workAsJSON() {
        let past = Self.state(
            "battery", name: "c",
            work: #"{"withinDays":-1e300,"sentence":"Battery of c is empty."}"#)
        let states = [(1, Self.state("ok", name: "x")), (2, Self.battery), (3, past)]
        var json = program(showsWork: true, json: true, states)
        let lines = json.on(.tick, at: later).compactMap {
            if case .write(let text) = $0 { text } else { nil }
        }
        #expect(lines.map { $0.contains("Battery of c") } == [true, false])
        #expect(lines.last?.contains("Battery of a") == true)
        var live = program(showsWork: true, states)
        #expect(
            live.on(.tick, at: later).dropFirst().first
                == .write("   0  s     \(Self.uuid)/1/3  Battery of c is empty.\n"))
    }

    @Test("--follow writes the sentence of each event")
    func follow() {
        var live = program(follows: true)
        let event = """
            {"kind":"beacon-event","site":"s","event":"unregistered","beacon":"\(Self.uuid)/1/9",
             "decidedAt":0,"sentence":"1/9 has no row in the registry."}
            """
        let message = Message(
            topic: "sightline/results/v1/s/beacons/events", payload: Array(event.utf8),
            isRetained: false)
        _ = live.on(.broker(.message(message)), at: now)
        guard case .write(let line)? = live.render(at: now).first else {
            Issue.record("no line")
            return
        }
        #expect(
            line.hasSuffix(
                "  s  unregistered  \(Self.uuid)/1/9  1/9 has no row in the registry.\n"))
    }
}
