import Configuration
import Contract
import Session
import Testing

@Suite("client identifiers")
struct ClientIdentifierTests {
    private func identifier(
        _ site: String, _ gateway: String, of key: String? = nil
    ) throws -> String {
        var broker = BrokerSettings()
        broker.clientId = key
        let topics = try #require(Topics(site: site, gateway: gateway))
        return try broker.connection(for: topics).settings.clientID
    }

    // `/` is in no name of a site or a gateway.
    @Test("gateways with different names have different client identifiers")
    func unambiguous() throws {
        #expect(try identifier("s-till", "entry-1") == "s-till/entry-1")
        #expect(try identifier("s", "till-entry-1") == "s/till-entry-1")
    }

    @Test("a configured identifier is used unchanged")
    func configured() throws {
        #expect(try identifier("s", "g", of: "mine") == "mine")
    }
}
