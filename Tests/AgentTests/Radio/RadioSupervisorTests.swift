import Contract
import HCI
import Logging
import Primitives
import Sightings
import TestVectors
import Testing

@testable import Agent
@testable import Radio

@Suite struct RadioSupervisorTests {
    private static let source = ControllerSource.raw(device: 0)
    private static let down = RadioFailure(.down, source, "hci0 is down")

    @Test("reports that wait for the agent at its end are counted")
    func reportsAtTheEnd() {
        let bench = SupervisorBench()
        bench.settle()
        bench.hear(1)
        bench.hear(1)
        bench.now = bench.now.advanced(byMilliseconds: 20)
        bench.finish()
        #expect(bench.batches.flatMap(\.sightings).map(\.count) == [2])
    }

    @Test("the health says whether a random address stands for the public one")
    func randomAddress() {
        for (address, expected) in [
            ([0, 0, 0, 0, 0, 0], true), ([1, 0, 0, 0, 0, 2], false), ([], nil),
        ] as [([UInt8], Bool?)] {
            let bench = SupervisorBench()
            bench.transport.address = address
            bench.settle()
            #expect(bench.health.usesRandomAddress == expected)
        }
    }

    @Test("a radio that can't be opened is retried ever more rarely, without a busy loop")
    func retries() {
        let bench = SupervisorBench()
        bench.failure = Self.down
        let start = bench.now
        let visits = bench.run(for: 120_000_000)
        #expect(
            bench.openings.map { $0.microseconds(since: start) / 1000 }
                == [0, 500, 1500, 3500, 7500, 15_500, 31_500, 61_500, 91_500])
        #expect(visits <= 121 + bench.openings.count)
        #expect(bench.deadline > bench.now || bench.deadline == bench.now)
    }

    @Test("a failure is thrown once per attempt")
    func throwsFailures() {
        let bench = SupervisorBench()
        bench.failure = Self.down
        #expect(bench.visit() == Self.down)
        #expect(bench.visit() == nil)
        bench.now = bench.now.advanced(byMicroseconds: 500_000)
        #expect(bench.visit() == Self.down)
    }

    @Test("windows are deaf while the radio fails, and hear afterwards")
    func recovers() {
        let bench = SupervisorBench()
        let start = bench.now
        bench.failure = Self.down
        bench.run(for: 3_600_000)
        bench.failure = nil
        bench.run(for: 4_000_000)
        bench.settle()
        let mended = bench.now
        bench.hear(1)
        bench.visit()
        bench.run(for: 2_000_000)
        bench.finish()
        bench.expectContiguous(from: start, to: bench.now)
        for batch in bench.batches {
            #expect(batch.state == (batch.interval.end <= mended ? .deaf : .hearing))
        }
        #expect(bench.batches.flatMap(\.sightings).map(\.count) == [1])
        #expect(bench.health.restarts == 0)
    }

    @Test("each recovery resets the backoff")
    func backsOff() {
        let bench = SupervisorBench()
        bench.failure = Self.down
        bench.run(for: 20_000_000)
        bench.failure = nil
        bench.run(for: 15_000_000)
        bench.settle()
        bench.transport.failure = Self.down
        let lost = bench.now
        #expect(bench.visit() == Self.down)
        bench.transport = AnsweringTransport()
        bench.run(for: 1_000_000)
        #expect(bench.openings.last?.microseconds(since: lost) == 500_000)
        #expect(bench.health.restarts == 1)
    }

    @Test("a lost radio ends the window, which has its reports and drops")
    func loses() throws {
        let bench = SupervisorBench()
        bench.settle()
        let start = bench.now
        bench.now = bench.now.advanced(byMicroseconds: 10_000)
        bench.hear(1)
        bench.hear(2)
        bench.transport.drops = 7
        bench.transport.failure = Self.down
        #expect(bench.visit() == Self.down)
        let lost = bench.now
        bench.run(for: 200_000)
        bench.finish()
        bench.expectContiguous(from: start, to: bench.now)
        let heard = try #require(bench.batches.first)
        #expect(heard.state == .hearing)
        #expect(heard.interval.end == lost)
        #expect(heard.sightings.count == 2)
        #expect(heard.radio?.dropped == 7)
        #expect(bench.batches.dropFirst().allSatisfy { $0.state == .deaf })
        #expect(bench.batches.dropFirst().allSatisfy { $0.radio == RadioCounts() })
    }

    @Test("a report in the instant of the loss is in no deaf window")
    func losesAtOnce() {
        let bench = SupervisorBench()
        bench.settle()
        bench.hear(1)
        bench.transport.failure = Self.down
        bench.visit()
        bench.run(for: 100_000)
        bench.finish()
        for batch in bench.batches {
            #expect((batch.state == .hearing) == !batch.sightings.isEmpty)
        }
        #expect(bench.batches.flatMap(\.sightings).count == 1)
    }

    @Test("a controller that never answers is closed after two seconds, and opened again")
    func silent() {
        let bench = SupervisorBench()
        bench.transport.isSilent = true
        let start = bench.now
        bench.run(for: 2_000_001)
        #expect(bench.openings == [start])
        bench.run(for: 500_000)
        #expect(bench.openings.count == 2)
        #expect(bench.health.restarts == 1)
    }

    @Test("finishing publishes the open window and stops the radio")
    func finishes() {
        let bench = SupervisorBench()
        bench.settle()
        let start = bench.now
        bench.now = bench.now.advanced(byMicroseconds: 10_000)
        bench.hear(1)
        bench.visit()
        #expect(bench.batches.isEmpty || bench.batches.allSatisfy(\.sightings.isEmpty))
        bench.now = bench.now.advanced(byMicroseconds: 10_000)
        bench.transport.drops = 3
        bench.finish()
        bench.expectContiguous(from: start, to: bench.now)
        #expect(bench.batches.flatMap(\.sightings).count == 1)
        #expect(bench.batches.compactMap(\.radio?.dropped).reduce(0, +) == 3)
        #expect(bench.transport.sent.last == .scanEnable(false, .legacy))
        #expect(bench.health.counts.reports == 1)
        #expect(bench.health.lastReport == start.advanced(byMicroseconds: 10_000))
    }

    @Test("reports before the deadline need no update; everything else does")
    func readsReports() throws {
        let bench = SupervisorBench()
        bench.transport = AnsweringTransport(isExclusive: false)
        #expect(try !bench.readReports())
        bench.settle()
        bench.hear(1)
        bench.visit()
        bench.now = bench.now.advanced(byMicroseconds: 10_000)
        bench.hear(1)
        #expect(try bench.readReports())
        let sent = bench.transport.sent.count
        bench.now = bench.now.advanced(byMicroseconds: 10_000)
        bench.hear(1)
        bench.transport.complete(.leSetScanEnable)
        #expect(try !bench.readReports())
        #expect(bench.transport.sent.count >= sent)
        bench.visit()
        bench.transport.failure = Self.down
        #expect(throws: Self.down) { try bench.readReports() }
        #expect(bench.health.interferences == 1)
        #expect(!bench.health.isHearing && bench.health.restarts == 1)
        bench.finish()
        #expect(bench.batches.flatMap(\.sightings).map(\.count).reduce(0, +) == 3)
    }

    @Test("finishing before the first event publishes nothing")
    func finishesAtOnce() {
        let bench = SupervisorBench()
        bench.finish()
        #expect(bench.batches.isEmpty)
    }

    @Test("drops belong to their window, even if a report closes it")
    func drops() throws {
        let bench = SupervisorBench()
        bench.settle()
        bench.hear(1)
        bench.visit()
        bench.transport.drops = 5
        // The first boundary is less than a second away.
        let boundary = bench.deadline
        bench.now = boundary.advanced(byMicroseconds: 10)
        bench.hear(2)
        bench.visit()
        bench.finish()
        let first = try #require(bench.batches.first { $0.interval.end == boundary })
        #expect(first.radio?.dropped == 5)
        #expect(bench.batches.compactMap(\.radio?.dropped).reduce(0, +) == 5)
    }

    @Test("reports of another program's scan before the own one count in a deaf window")
    func beforeHearing() {
        let bench = SupervisorBench()
        bench.transport = AnsweringTransport(isExclusive: false)
        let start = bench.now
        bench.hear(1)
        bench.visit()
        #expect(!bench.health.isHearing)
        bench.now = bench.now.advanced(byMicroseconds: 5000)
        bench.settle()
        bench.now = bench.now.advanced(byMicroseconds: 5000)
        bench.hear(2)
        bench.visit()
        bench.finish()
        bench.expectContiguous(from: start, to: bench.now)
        // The boundary of a window may part both times.
        let deaf = bench.batches.prefix { $0.state == .deaf }
        let hearing = bench.batches.dropFirst(deaf.count)
        #expect(hearing.allSatisfy { $0.state == .hearing })
        #expect(deaf.compactMap(\.radio?.beacons).reduce(0, +) == 1)
        #expect(hearing.compactMap(\.radio?.beacons).reduce(0, +) == 1)
    }

    @Test("another program's scan command makes a deaf window, and counts as interference")
    func interference() {
        let bench = SupervisorBench()
        bench.transport = AnsweringTransport(isExclusive: false)
        bench.settle()
        let start = bench.now
        bench.now = bench.now.advanced(byMicroseconds: 5000)
        bench.transport.complete(.leSetScanEnable)
        bench.visit()
        #expect(!bench.health.isHearing)
        bench.now = bench.now.advanced(byMicroseconds: 200_000)
        bench.settle()
        bench.now = bench.now.advanced(byMicroseconds: 5000)
        bench.finish()
        bench.expectContiguous(from: start, to: bench.now)
        // The boundary of a window may part the deaf time.
        let deaf = bench.batches.filter { $0.state == .deaf }
        #expect(deaf.map(\.interval.microseconds).reduce(0, +) == 200_000)
        #expect(bench.health.interferences == 1)
        #expect(bench.health.restarts == 0)
    }
}
