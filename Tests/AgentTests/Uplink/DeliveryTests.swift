import Contract
import Logging
import MQTT
import Outbox
import Posix
import Primitives
import Sightings
import Testing

@testable import Agent

@Suite("Delivery")
struct DeliveryTests {
    private let begin = Instant(microseconds: 0)
    private let stamp = Stamp(offset: .zero, clock: .synced)

    private func delivery(
        isPatient: Bool = false, batches: UInt64 = 1, holdMs: Int = 600_000
    ) throws -> Delivery {
        var settings = Delivery.Settings(
            limits: OutboxLimits(refusedHold: .milliseconds(holdMs)), restamps: false)
        settings.isPatient = isPatient
        let topics = try #require(Topics(site: "s", gateway: "g"))
        var delivery = Delivery(
            settings, topics: topics, session: Session(milliseconds: 0, random: (0, 0)),
            log: Log(level: .silent))
        for seq in 0..<batches {
            let interval = Interval(start: begin, end: begin + .seconds(1))
            let batch = Batch(seq: seq, interval: interval, radio: RadioCounts(), sightings: [])
            let stored = StoredBatch(origin: Origin(session: ""), batch: batch, stamp: stamp)
            delivery.append(stored, isDecided: false, at: begin)
        }
        return delivery
    }

    private func id(_ outgoing: Outgoing?) throws -> Entry.ID {
        guard case .batch(let id) = try #require(outgoing).id else { throw CancellationError() }
        return id
    }

    @Test("a batch that the broker refuses for now is sent again after a wait")
    func retry() throws {
        var delivery = try delivery()
        let id = try id(delivery.next(at: begin, clock: nil))
        delivery.answered(id, .quotaExceeded, at: begin, random: .max)
        #expect(delivery.next(at: begin, clock: nil) == nil)
        let due = try #require(delivery.deadline(isConnected: true))
        #expect(due > begin)
        delivery.tick(at: due)
        #expect(try self.id(delivery.next(at: due, clock: nil)) == id)
        delivery.answered(id, .success, at: due, random: 0)
        #expect(delivery.outbox.depth == 0)
    }

    @Test("refusals before the next attempt count as one")
    func oneWait() throws {
        var delivery = try delivery(batches: 2)
        let first = try id(delivery.next(at: begin, clock: nil))
        let second = try id(delivery.next(at: begin, clock: nil))
        delivery.answered(first, .quotaExceeded, at: begin, random: .max)
        let due = delivery.deadline(isConnected: true)
        delivery.answered(second, .quotaExceeded, at: begin + .milliseconds(1), random: .max)
        #expect(delivery.deadline(isConnected: true) == due)
    }

    @Test("a batch that the broker never accepts is counted as refused")
    func refused() throws {
        for (hold, code) in [(0, ReasonCode.notAuthorised), (600_000, .packetTooLarge)] {
            var delivery = try delivery(holdMs: hold)
            let id = try id(delivery.next(at: begin, clock: nil))
            delivery.answered(id, code, at: begin, random: 0)
            #expect(delivery.outbox.counters.refused == 1)
            #expect(delivery.outbox.depth == 0)
        }
    }

    @Test(
        "a batch that is not authorised, or whose QoS the broker lacks, is kept for refusedHoldMs",
        arguments: [ReasonCode.notAuthorised, .qosNotSupported])
    func held(code: ReasonCode) throws {
        var delivery = try delivery(batches: 2)
        var now = begin
        var answers = 0
        while delivery.outbox.counters.refused == 0 {
            while let next = delivery.next(at: now, clock: nil) {
                delivery.answered(try id(next), code, at: now, random: .max)
                answers += 1
            }
            #expect(delivery.outbox.depth == 2 || now - begin >= .seconds(600))
            now = now + .seconds(1)
            delivery.tick(at: now)
        }
        #expect((.seconds(600) ... .seconds(615)).contains(now - begin))
        // One attempt in ten seconds for both batches.
        #expect((100...200).contains(answers))
    }

    @Test("an accepted batch begins the time again")
    func heldAgain() throws {
        var delivery = try delivery(batches: 2)
        let first = try id(delivery.next(at: begin, clock: nil))
        let second = try id(delivery.next(at: begin, clock: nil))
        delivery.answered(first, .notAuthorised, at: begin, random: 0)
        let later = begin + .seconds(599)
        delivery.answered(second, .success, at: later, random: 0)
        delivery.tick(at: later)
        let again = try id(delivery.next(at: later, clock: nil))
        delivery.answered(again, .notAuthorised, at: later + .seconds(2), random: 0)
        #expect(delivery.outbox.counters.refused == 0)
        #expect(delivery.outbox.depth == 1)
    }

    @Test("time without a connection does not count as time of refusals")
    func heldDuringOutages() throws {
        var delivery = try delivery()
        var now = begin
        var refusals = 0
        let limits = BrokerAbilities(version: .v5)
        while delivery.outbox.counters.refused == 0 {
            delivery.connected(limits, at: now)
            // Five minutes of each connection, with a refusal at its begin and its end.
            for wait in [Duration.zero, .seconds(300)] {
                now = now + wait
                delivery.tick(at: now)
                let id = try id(delivery.next(at: now, clock: nil))
                delivery.answered(id, .notAuthorised, at: now, random: 0)
                refusals += 1
            }
            #expect(delivery.outbox.depth == (refusals < 4 ? 1 : 0))
            delivery.connectionLost(at: now)
            now = now + .seconds(3600)
        }
        #expect(refusals == 4)
    }
}
