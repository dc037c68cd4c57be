import MQTT
import Posix
import Primitives
import Results
import Subscriber
import Terminal
import Testing

@testable import Subcommands

@Suite("live regions")
struct LiveRegionsTests {
    private let now = Instant(microseconds: 0)
    private let later = Instant(microseconds: 10_000_000)

    private func program(follows: Bool = false, subject: String? = nil) -> LiveResults {
        LiveResults(
            .init(topics: ResultTopics(), follows: follows, json: false),
            LiveRegions.content(subject: subject))
    }

    private func message(_ topic: String, _ text: String, isRetained: Bool = true) -> Message {
        Message(
            topic: "sightline/results/v1/\(topic)", payload: Array(text.utf8),
            isRetained: isRetained)
    }

    private let state = """
        {"v":1,"kind":"region","state":"degraded","inside":3,"unknown":1,
         "reasons":[{"gateway":"till-1","state":"deaf"}]}
        """
    private let exit = """
        {"v":1,"kind":"region-event","site":"s","region":"r","event":"exit","tag":"00000000000000aa",
         "at":0,"decidedAt":12000,"why":{"silenceMs":12300,"deadlineMs":11600,"ratePerSecond":1.91,
         "meanGapMs":523,"falsePerDay":0.3,"gateways":["till-1"]}}
        """

    @Test("without --follow, all regions are one table, and the command ends")
    func table() {
        var live = program()
        _ = live.on(.broker(.subscribed), at: now)
        _ = live.on(.broker(.message(message("s/regions/b", state))), at: now)
        _ = live.on(.broker(.message(message("s/regions/a", state))), at: now)
        let early = live.on(.tick, at: now)
        #expect(early.isEmpty)
        let end = live.on(.tick, at: later)
        #expect(
            end == [
                .write("REGION  STATE     INSIDE  MAY BE INSIDE  NOT HEARING\n"),
                .write("s/a     degraded       3              1  till-1 deaf\n"),
                .write("s/b     degraded       3              1  till-1 deaf\n"), .exit(.done),
            ])
    }

    @Test(
        "states of servers that are all offline are shown, and a failure", arguments: [true, false])
    func offline(isOnline: Bool) {
        var live = program()
        _ = live.on(.broker(.subscribed), at: now)
        let status = #"{"state":"\#(isOnline ? "online" : "offline")"}"#
        _ = live.on(.broker(.message(message("status/a", #"{"state":"offline"}"#))), at: now)
        _ = live.on(.broker(.message(message("status/b", status))), at: now)
        _ = live.on(.broker(.message(message("s/regions/a", state))), at: now)
        let end = live.on(.tick, at: later)
        #expect(end.count == (isOnline ? 3 : 4))
        #expect(end.last == .exit(isOnline ? .done : .failed))
    }

    @Test("a broker without regions is a failure with advice")
    func none() {
        var live = program()
        _ = live.on(.broker(.subscribed), at: now)
        let end = live.on(.tick, at: later)
        #expect(end.last == .exit(.failed))
        #expect(end.count == 2)
    }

    @Test("--follow writes each event with its evidence, and --why those of one beacon")
    func follow() {
        for (subject, isShown) in [
            (nil, true), ("00000000000000aa", true), ("00000000000000ab", false),
        ] as [(String?, Bool)] {
            var live = program(follows: true, subject: subject)
            _ = live.on(
                .broker(.message(message("s/regions/r/events", exit, isRetained: false))), at: now)
            let lines = live.render(at: now)
            guard isShown else {
                #expect(lines.isEmpty)
                continue
            }
            guard case .write(let text)? = lines.first else {
                Issue.record("no line")
                continue
            }
            #expect(
                text.hasSuffix(
                    "s/r  exit  00000000000000aa  silence 12.3 s of 11.6 s, 1.9 reports/s, "
                        + "0.3 false/day, till-1\n"))
        }
    }
}
