import Primitives
import Testing

@testable import Session

private let begin = Instant(microseconds: 0)

@Suite("BrokerMigration")
struct BrokerMigrationTests {
    private func migration() -> BrokerMigration {
        BrokerMigration(to: [], at: begin)
    }

    @Test("a migration waits for acknowledgements, says offline, and disconnects")
    func migrating() {
        let migration = migration()
        #expect(migration.step(unacknowledged: 1, isOffline: false, at: begin) == .wait)
        #expect(migration.step(unacknowledged: 0, isOffline: false, at: begin) == .publishOffline)
        #expect(migration.step(unacknowledged: 1, isOffline: true, at: begin) == .wait)
        #expect(migration.step(unacknowledged: 0, isOffline: true, at: begin) == .disconnect)
    }

    @Test("a migration needs no broker, and waits two seconds at most")
    func migratingWithoutAnswer() {
        let migration = migration()
        #expect(migration.step(unacknowledged: nil, isOffline: false, at: begin) == .switchBrokers)
        let early = begin + .milliseconds(1999)
        #expect(migration.step(unacknowledged: 1, isOffline: false, at: early) == .wait)
        let late = begin + .seconds(2)
        #expect(migration.step(unacknowledged: 1, isOffline: false, at: late) == .switchBrokers)
    }
}
