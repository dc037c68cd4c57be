import Contract
import Facts
import JSON
import MessageSamples
import Primitives
import Queueing
import Sightings
import Subscriber
import Testing

@testable import Server

extension GatewayMonitorTests {
    @Test("the will makes a gateway offline; a deaf window makes it deaf")
    func offline() {
        var monitor = GatewayMonitor(wall: 0)
        monitor.onConnection(true, at: at(0))
        monitor.on(status(.online))
        monitor.on(window(0, deaf: true), at: at(1), wall: 1000)
        _ = monitor.update(at: at(1), wall: 1000)
        #expect(monitor.condition == .deaf)
        monitor.on(status(.offline))
        _ = monitor.update(at: at(1), wall: 1000)
        #expect(monitor.condition == .offline)
    }

    @Test("a gateway is offline from its will to its next status or window")
    func offlineUntil() {
        var monitor = GatewayMonitor(wall: 0)
        // Retained, when the server starts.
        monitor.on(status(.offline))
        #expect(monitor.isOffline)
        monitor.on(status(.online, session: "b"))
        #expect(!monitor.isOffline)
        // A late will of the session before.
        monitor.on(status(.offline))
        #expect(!monitor.isOffline)
        monitor.on(status(.offline, session: "b"))
        monitor.on(status(.online, session: "b"))
        #expect(!monitor.isOffline)
    }

    @Test("a window ends the time offline; a repeated one and an older one do not")
    func windowsOffline() {
        var monitor = GatewayMonitor(wall: 0)
        monitor.on(status(.online))
        for seq in [5, 6] as [UInt64] { monitor.on(window(seq), at: at(1), wall: 1000) }
        monitor.on(status(.offline))
        monitor.on(window(6), at: at(2), wall: 2000)
        monitor.on(window(4), at: at(2), wall: 2000)
        #expect(monitor.isOffline)
        monitor.on(window(7), at: at(2), wall: 2000)
        #expect(!monitor.isOffline)
    }

    @Test("the will of a gateway makes its queue unknown within three seconds, and names the cause")
    func queue() throws {
        let files = try QueueServer()
        let store = files.store()
        defer { store.close() }
        let site = try files.site(store)
        let noon = UnixTime(milliseconds: QueueServer.noon)
        site.onConnection(true, at: at(0))
        for gateway in ["e", "t"] { site.update(gateway, wall: noon) { $0.on(status(.online)) } }
        for second in 0..<103 as Range<Int64> {
            if second == 100 { site.update("t", wall: noon) { $0.on(status(.offline)) } }
            for gateway in ["e", "t"] where gateway == "e" || second < 100 {
                #expect(site.take(QueueServer.window(second), from: gateway) == .new)
            }
            let wall = noon + .seconds(second + 1)
            _ = site.advanceWholly(through: UnixSecond(containing: wall))
            _ = site.tickGateways(at: at(second + 1), wall: wall)
            _ = site.dueStates(isDurable: true, at: at(second + 1))
            if second == 99 { #expect(site.states.document("q")?["state"] == "ok") }
        }
        let queue = try #require(site.states.document("q"))
        #expect(queue["state"] == "unknown" && queue["length"] == .null)
        #expect(
            queue["reasons"] == [
                [
                    "gateway": "t", "state": "offline",
                    "since": .integer((noon + .seconds(100)).milliseconds), "until": .null,
                ]
            ])
    }

    @Test("without the broker, all gateways are unknown")
    func disconnected() {
        var monitor = GatewayMonitor(wall: 0)
        monitor.onConnection(true, at: at(0))
        monitor.on(status(.online))
        monitor.on(window(0), at: at(1), wall: 1000)
        _ = monitor.update(at: at(1), wall: 1000)
        monitor.onConnection(false, at: at(2))
        let result5 = monitor.update(at: at(2), wall: 2000)
        #expect(result5)
        #expect(monitor.condition == .unknown)
        // Then, silence counts from the new connection.
        monitor.onConnection(true, at: at(100))
        _ = monitor.update(at: at(101), wall: 101_000)
        #expect(monitor.condition == .online)
    }
}
