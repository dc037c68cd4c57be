import Primitives
import Testing

@testable import Agent

@Suite("Shutdown")
struct ShutdownTests {
    private let begin = Instant(microseconds: 0)
    private let delivered = Shutdown.Progress(
        unsaved: 0, isLiveDelivered: true, unacknowledged: 0, isOffline: false)

    @Test("a running uplink is never done and never goes offline")
    func running() {
        let shutdown = Shutdown.running
        #expect(shutdown.isDone(unsaved: 0, isConnected: false, at: begin) == false)
        #expect(shutdown.step(delivered) == .wait)
        #expect(shutdown.deadline == nil)
    }

    @Test("offline follows the last acknowledgement, and the disconnection follows its own")
    func order() {
        let shutdown = Shutdown.stopping(deadline: nil)
        var progress = delivered
        progress.unsaved = 1
        #expect(shutdown.step(progress) == .wait)
        progress.unsaved = 0
        progress.isLiveDelivered = false
        #expect(shutdown.step(progress) == .wait)
        progress.isLiveDelivered = true
        progress.unacknowledged = 1
        #expect(shutdown.step(progress) == .wait)
        progress.unacknowledged = 0
        #expect(shutdown.step(progress) == .publishOffline)
        progress.isOffline = true
        progress.unacknowledged = 1
        #expect(shutdown.step(progress) == .wait)
        progress.unacknowledged = 0
        #expect(shutdown.step(progress) == .disconnect)
        progress.unacknowledged = nil
        #expect(shutdown.step(progress) == .wait, "no connection")
    }

    @Test(
        "the uplink ends when all batches are safe and the connection is over, or at the deadline")
    func done() {
        let deadline = begin + .seconds(5)
        let shutdown = Shutdown.stopping(deadline: deadline)
        #expect(shutdown.isDone(unsaved: 1, isConnected: false, at: begin) == false)
        #expect(shutdown.isDone(unsaved: 0, isConnected: true, at: begin) == false)
        #expect(shutdown.isDone(unsaved: 0, isConnected: false, at: begin) == true)
        #expect(shutdown.isDone(unsaved: 1, isConnected: true, at: deadline) == true)
        let patient = Shutdown.stopping(deadline: nil)
        #expect(patient.isDone(unsaved: 1, isConnected: false, at: deadline) == false)
    }
}
