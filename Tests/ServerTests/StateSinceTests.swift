import Testing

@testable import Server

@Suite("since when a state holds")
struct StateSinceTests {
    @Test("a state is no older than the one before it")
    func dates() {
        var since = StateSince()
        let dates = [
            since.on(.ok, since: 100, at: 500), since.on(.ok, since: 100, at: 501),
            // A tag in doubt: the gateways still hear since 100.
            since.on(.unknown, since: 100, at: 502), since.on(.unknown, since: 100, at: 503),
            since.on(.ok, since: 100, at: 510),
            // A gateway fails.
            since.on(.degraded, since: 520, at: 521),
        ]
        #expect(dates == [100, 100, 502, 502, 510, 521])
    }

    @Test("a state that goes on keeps its date")
    func kept() {
        var since = StateSince()
        let dates = [
            since.on(.unknown, since: nil, at: nil), since.on(.unknown, since: 100, at: 103),
            // The gateways hear since 150, and a tag is in doubt.
            since.on(.unknown, since: 150, at: 151), since.on(.ok, since: 150, at: 163),
            since.on(.ok, since: 150, at: 164),
        ]
        #expect(dates == [nil, 100, 100, 163, 163])
    }

    @Test("a queue without any second has no date")
    func none() {
        var since = StateSince()
        let date = since.on(.unknown, since: nil, at: nil)
        #expect(date == nil)
    }
}
