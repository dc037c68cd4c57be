import Contract
import MQTT
import Primitives
import Testing

@testable import Agent

@Suite("DuplicateClientMonitor")
struct DuplicateClientMonitorTests {
    private let begin = Instant(microseconds: 0)

    /// A monitor of two brokers; the first has acknowledged our status and accepts a second connection.
    private func monitor() -> DuplicateClientMonitor {
        let detector = DuplicateClientDetector(session: "own", began: 0, memory: .seconds(900))
        var monitor = DuplicateClientMonitor(detector, brokers: 2)
        monitor.connected(to: 0, at: begin, time: 100)
        monitor.statusAcknowledged(by: 0, at: 100)
        _ = monitor.connectionEnded(.requested, clientID: "c", broker: 0, at: begin)
        monitor.connected(to: 0, at: begin, time: 100)
        return monitor
    }

    private func status(of session: String, at time: UnixTime = 200_000) -> Message {
        let status = StatusMessage(
            state: .offline, session: session, at: time, version: "0", clock: .synced)
        return Message(topic: "s", payload: status.encoded, isRetained: true)
    }

    @Test("a loss after another session's status is a takeover, and each session is logged once")
    func takeover() {
        var monitor = monitor()
        #expect(monitor.received(status(of: "a"), from: 0, at: begin) == .duplicate(session: "a"))
        let (cause, notice) = monitor.connectionEnded(
            .lost(nil), clientID: "c", broker: 0, at: begin)
        #expect(cause == .takenOver(clientID: "c"))
        #expect(notice == nil)
        #expect(monitor.takeovers == 1)
        #expect(monitor.received(status(of: "a", at: 300_000), from: 0, at: begin) == nil)
        #expect(monitor.received(status(of: "b"), from: 0, at: begin) == .duplicate(session: "b"))
    }

    @Test("for as long as another session is remembered, it may explain a loss")
    func explanation() {
        var monitor = monitor()
        #expect(!monitor.mayExplainLoss(at: begin))
        _ = monitor.received(status(of: "a"), from: 0, at: begin)
        #expect(monitor.mayExplainLoss(at: begin + .seconds(899)))
        #expect(!monitor.mayExplainLoss(at: begin + .seconds(900)))
        let later = begin + .seconds(5000)
        _ = monitor.connectionEnded(
            .takenOver(clientID: "c"), clientID: "c", broker: 0, at: later)
        #expect(monitor.mayExplainLoss(at: later))
    }

    @Test("a takeover that the broker reports is logged, and its session when it is known")
    func reported() {
        var monitor = monitor()
        let cause = ConnectionFailure.Cause.takenOver(clientID: "c")
        let ended = monitor.connectionEnded(cause, clientID: "c", broker: 0, at: begin)
        #expect(ended.cause == cause)
        #expect(ended.notice == .duplicate(session: nil))
        monitor.connected(to: 0, at: begin, time: 100)
        #expect(monitor.received(status(of: "a"), from: 0, at: begin) == .sessionKnown("a"))
        #expect(monitor.takeovers == 1)
    }

    @Test("a loss without a reason counts as a takeover when another session appears")
    func laterEvidence() {
        var monitor = monitor()
        let ended = monitor.connectionEnded(.lost(nil), clientID: "c", broker: 0, at: begin)
        #expect(ended.cause == .lost(nil))
        #expect(monitor.takeovers == 0)
        monitor.connected(to: 0, at: begin, time: 100)
        #expect(monitor.received(status(of: "a"), from: 0, at: begin) == .duplicate(session: "a"))
        #expect(monitor.takeovers == 1)
    }

    @Test("a broker that stays keeps its history, a new one has none")
    func otherBrokers() {
        var monitor = monitor()
        monitor.brokersChanged(previous: [nil, 0])
        monitor.connected(to: 0, at: begin, time: nil)
        #expect(monitor.received(status(of: "a"), from: 0, at: begin) == nil)
        #expect(monitor.received(status(of: "a"), from: 1, at: begin) == .duplicate(session: "a"))
    }

    @Test("bytes that are no status message are ignored")
    func garbage() {
        var monitor = monitor()
        let message = Message(topic: "s", payload: [0xff, 0x00])
        #expect(monitor.received(message, from: 0, at: begin) == nil)
    }

    @Test("the number of logged sessions has a bound")
    func bound() {
        var monitor = monitor()
        let notices = (0..<100).compactMap {
            monitor.received(status(of: "\($0)"), from: 0, at: begin)
        }
        #expect(notices.count == 16)
    }
}
