import Contract
import MQTT
import Posix
import Primitives
import Results
import Terminal
import Testing

@testable import Subcommands

@Suite("live queues")
struct LiveQueuesTests {
    private let now = Instant(microseconds: 0)

    private func message(_ state: String, queue: String = "q") -> Message {
        Message(
            topic: "sightline/results/v1/s/queues/\(queue)", payload: Array(state.utf8),
            isRetained: true)
    }

    private let known = """
        {"v":1,"kind":"queue","state":"degraded","length":{"people":6.2,"low":4,"high":9},
        "wait":{"ms":240000,"lowMs":180000,"highMs":360000},"leavers":{"p90Ms":330000},
        "reasons":[{"gateway":"till-1","state":"deaf"}]}
        """

    @Test("a state is a line with its intervals and the gateways that do not hear")
    func line() {
        var live = LiveQueues(ResultTopics(), isTerminal: false)
        let commands = live.on(.broker(.message(message(known))), at: now)
        #expect(commands.isEmpty)
        let first = live.render(at: now)
        #expect(
            first == [
                .write(
                    "s/q  degraded  6 (4 to 9)  4 min 0 s (3 min 0 s to 6 min 0 s)  5 min 30 s  "
                        + "till-1 deaf\n")
            ])
        let second = live.render(at: now)
        #expect(second.isEmpty)
    }

    @Test("a fault that has ended is over")
    func over() {
        var live = LiveQueues(ResultTopics(), isTerminal: false)
        let state = """
            {"kind":"queue","state":"unknown","length":null,"wait":null,"leavers":null,"reasons":[
            {"gateway":"till-1","state":"deaf","since":1000,"until":2000},
            {"gateway":"till-2","state":"lost","since":1000,"until":null}]}
            """
        _ = live.on(.broker(.message(message(state))), at: now)
        let lines = live.render(at: now)
        #expect(
            lines == [
                .write("s/q  unknown  unknown  unknown  unknown  till-1 deaf (over), till-2 lost\n")
            ])
    }

    @Test("an unknown queue shows no number")
    func unknown() {
        var live = LiveQueues(ResultTopics(), isTerminal: false)
        let state = #"{"kind":"queue","state":"unknown","length":null,"wait":null,"leavers":null}"#
        _ = live.on(.broker(.message(message(state))), at: now)
        let lines = live.render(at: now)
        #expect(lines == [.write("s/q  unknown  unknown  unknown  unknown  \n")])
    }

    private func status(_ state: String, of server: String = "server") -> Message {
        Message(
            topic: "sightline/results/v1/status/\(server)",
            payload: Array(#"{"v":1,"state":"\#(state)"}"#.utf8))
    }

    private let measured = """
        {"kind":"queue","at":1795612800000,"state":"ok","length":{"people":6,"low":4,"high":9}}
        """
    private let numbers = "s/q  ok  6 (4 to 9)  unknown  unknown  \n"
    private let stale =
        "s/q  stale since \(LocalDay.clockTime(of: 1_795_612_800_000))  "
        + "unknown  unknown  unknown  \n"

    /// The lines after a message and at its time.
    private func lines(
        _ live: inout LiveQueues, _ messages: [Message] = [], at now: Instant
    ) -> [TerminalLoop.Command] {
        for message in messages { _ = live.on(.broker(.message(message)), at: now) }
        return live.on(.tick, at: now) + live.render(at: now)
    }

    @Test("the state of an ended server is stale, also at the start, until the next state")
    func ended() {
        var live = LiveQueues(ResultTopics(), isTerminal: false)
        let late = lines(&live, [status("offline"), message(measured)], at: now)
        #expect(late == [.write(stale)])
        let again = lines(&live, [status("online")], at: now)
        #expect(again.isEmpty)
        let present = lines(&live, [message(measured)], at: now)
        #expect(present == [.write(numbers)])
        let ended = lines(&live, [status("offline")], at: now)
        #expect(ended == [.write(stale)])
        let once = lines(&live, [], at: now + .seconds(100))
        #expect(once.isEmpty)
        #expect(live.deadline == nil)
    }

    @Test("a state is stale when the next one is overdue, whatever the servers' states")
    func overdue() {
        var live = LiveQueues(ResultTopics(), isTerminal: false)
        let servers = [status("online"), status("offline", of: "other")]
        let first = lines(&live, servers + [message(measured)], at: now)
        #expect(first == [.write(numbers)])
        #expect(live.deadline == now + .seconds(35))
        let before = lines(&live, at: now + .milliseconds(34_999))
        #expect(before.isEmpty)
        let due = lines(&live, at: now + .seconds(35))
        #expect(due == [.write(stale)])
    }

    @Test("without any queue, the command says after five seconds which topic it waits for")
    func absent() {
        var live = LiveQueues(ResultTopics(root: "nope/x"), isTerminal: true)
        _ = live.on(.broker(.subscribed), at: now)
        #expect(live.deadline == now + .seconds(5))
        let before = lines(&live, at: now + .seconds(4))
        #expect(before.isEmpty)
        guard case .report(let text)? = lines(&live, at: now + .seconds(5)).first else {
            Issue.record("no report")
            return
        }
        #expect(text.contains("nope/x/+/queues/+"))
        #expect(text.contains("--results-root"))
        let once = lines(&live, at: now + .seconds(60))
        #expect(once.isEmpty)
    }

    @Test("other topics, other messages and impossible numbers do no harm")
    func foreign() {
        var live = LiveQueues(ResultTopics(), isTerminal: false)
        _ = live.on(.broker(.message(Message(topic: "x", payload: []))), at: now)
        _ = live.on(.broker(.message(message("{"))), at: now)
        let none = live.render(at: now)
        #expect(none.isEmpty)
        let huge =
            #"{"kind":"queue","state":"ok","length":{"people":1e300},"wait":{"ms":9223372036854775807}}"#
        _ = live.on(.broker(.message(message(huge))), at: now)
        let one = live.render(at: now)
        #expect(one.count == 1)
    }

    @Test("on a terminal, each table replaces the one before")
    func table() {
        var live = LiveQueues(ResultTopics(), isTerminal: true)
        _ = live.on(.broker(.message(message(known))), at: now)
        guard case .draw(let first)? = live.render(at: now).first else {
            Issue.record("no table")
            return
        }
        #expect(first.count == 2)
        _ = live.on(.broker(.message(message(known, queue: "r"))), at: now)
        guard case .draw(let second)? = live.render(at: now).first else {
            Issue.record("no table")
            return
        }
        #expect(second.count == 3)
        #expect(live.on(.key(.character("q")), at: now) == [.exit(.done)])
    }
}
