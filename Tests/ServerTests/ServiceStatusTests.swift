import Posix
import Primitives
import TestSupport
import Testing

@testable import Server

@Suite("what the service manager gets")
struct ServiceStatusTests {
    @Test(
        "while the server reads a long day, each sign of life extends the start; then it is ready")
    func start() throws {
        let server = try QueueServer()
        let store = server.store()
        defer { store.close() }
        let site = try server.site(store)
        let state = ServerState(session: .begin(), sites: [site], store: store)
        let place = server.folder.file("notify")
        let listener = try NotifySocket(at: place)
        let manager = try #require(
            ServiceManager { ["NOTIFY_SOCKET": place, "WATCHDOG_USEC": "60000000"][$0] })
        let start = Instant(microseconds: 1_000_000)
        let service = ServiceStatus(manager, at: start)
        for seconds in [0, 30] as [Int64] {
            service.update(state, at: start.advanced(byMilliseconds: seconds * 1000))
            #expect(try listener.wait(for: "WATCHDOG") == "WATCHDOG=1")
            #expect(
                try listener.wait(for: "EXTEND_TIMEOUT_USEC") == "EXTEND_TIMEOUT_USEC=120000000")
        }
        service.brokerAttemptEnded()
        for seconds in [40, 60] as [Int64] {
            service.update(state, at: start.advanced(byMilliseconds: seconds * 1000))
        }
        #expect(try listener.wait(for: "READY") == "READY=1")
        #expect(try listener.wait(for: "WATCHDOG") == "WATCHDOG=1")
        #expect(listener.next() == nil)
    }
}
