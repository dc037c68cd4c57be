import Testing

@testable import ResultStore
@testable import Server
@testable import StoreSQLite

@Suite("what the server says about itself")
struct ServerStateTests {
    @Test("/healthz says why there is no broker, and what else does not work")
    func faults() throws {
        let server = try QueueServer()
        let store = server.store()
        defer { store.close() }
        let state = ServerState(session: .begin(), sites: [try server.site(store)], store: store)
        #expect(state.faults == ["The server is not connected to its broker."])
        state.show(disconnection: "another client uses the same client identifier")
        #expect(
            state.faults == [
                "The server is not connected to its broker: another client uses the same client identifier."
            ])
        #expect(state.faults(for: .public) == ["The server is not connected to its broker."])
        state.show(disconnection: nil)
        #expect(state.faults.isEmpty)
        let sentences = ["The broker has no message of gateway s/x."]
        #expect(state.reported.note(gateways: sentences) == sentences)
        #expect(state.reported.note(gateways: sentences) == [])
        // A gateway that is not installed yet is no fault of the server.
        #expect(state.faults.isEmpty)
        #expect(state.warnings(for: .read) == state.reported.gateways)
        #expect(state.warnings(for: .public).isEmpty)
        _ = state.reported.note(gateways: [])
        state.reported.privacy = ["The key can't be destroyed."]
        #expect(state.faults == ["The key can't be destroyed."])
        #expect(Set(state.runningDays.keys) == ["s"])
    }
}
