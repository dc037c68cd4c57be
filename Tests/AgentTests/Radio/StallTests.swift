import Contract
import HCI
import Logging
import Posix
import Primitives
import Sightings
import TestVectors
import Testing

@testable import Agent
@testable import Radio

/// A process that did not run for some time: the system has stopped, frozen or suspended it.
@Suite struct StallTests {
    /// A gateway that hears one beacon ten times a second, on the test's clock. It can be stopped.
    private final class Gateway {
        private(set) var now = Instant(microseconds: 7_000_000)
        let transport: AnsweringTransport
        private(set) var batches: [Batch] = []
        private var supervisor: RadioSupervisor?
        private let offset = Clocks.wallMinusBoot
        private(set) var sent = 0

        static let source = ControllerSource.raw(device: 0)

        init(stampsArrivals: Bool, isExclusive: Bool = true, windowMs: Int64 = 1000) {
            transport = AnsweringTransport(isExclusive: isExclusive)
            transport.stampsArrivals = stampsArrivals
            supervisor = RadioSupervisor(
                settings: GatewaySettings(
                    report: ReportSettings {
                        $0.window = .milliseconds(windowMs)
                        $0.maxSilence = .milliseconds(windowMs)
                    }),
                maxIdentities: 1000, log: Log(level: .silent), at: now,
                present: { [unowned self] in now },
                open: { [unowned self] desired, now throws(RadioFailure) in
                    try LiveRadio(transport, source: Self.source, advertising: desired, at: now)
                },
                emit: { [unowned self] batch, _ in batches.append(batch) })
            for _ in 0..<20 { update() }
        }

        func update(at instant: Instant? = nil) {
            do throws(RadioFailure) { try supervisor?.update(at: instant ?? now) } catch {}
        }

        /// Runs for a number of beats of 100 ms, with a report in each.
        func run(beats: Int) {
            for _ in 0..<beats {
                beat()
                update()
            }
        }

        /// Stops the process for a number of beats, and continues it.
        ///
        /// - Parameter late: the beats between the wake-up and the reading of the radio.
        func stop(beats: Int, late: Int = 0) {
            for _ in 0..<beats { beat() }
            let woken = now
            for _ in 0..<late { beat() }
            update(at: woken)
        }

        /// One report in 100 ms.
        func beat() {
            now = now.advanced(byMicroseconds: 100_000)
            transport.hear(
                Advertisements.legacyEvent(
                    Advertisements.legacyReport(Advertisements.iBeacon(1))),
                arrival: now + offset)
            sent += 1
        }

        /// Lets time pass without a report.
        func pass(seconds: Double) {
            now = now.advanced(byMicroseconds: Int64(seconds * 1_000_000))
            update()
        }

        func finish() { supervisor?.finish(at: now) }

        var counted: Int { batches.flatMap(\.sightings).map(\.count).reduce(0, +) }

        var deaf: [Interval] { batches.filter { $0.state == .deaf }.map(\.interval) }

        /// Checks that windows are adjacent, count all reports once, and count none that does not fit into their time.
        func expectSound() {
            #expect(counted == sent)
            for (batch, next) in zip(batches, batches.dropFirst()) {
                #expect(batch.interval.end == next.interval.start)
            }
            for batch in batches {
                #expect(batch.interval.start < batch.interval.end)
                let most = batch.interval.microseconds / 100_000 + 1
                #expect(batch.sightings.allSatisfy { $0.count <= most })
            }
        }
    }

    @Test(
        "the reports of a stall without arrival times are in one deaf window",
        arguments: [100, 1000, 60_000] as [Int64])
    func missed(windowMs: Int64) {
        let gateway = Gateway(stampsArrivals: false, windowMs: windowMs)
        gateway.run(beats: 33)
        let stopped = gateway.now
        gateway.stop(beats: 60)
        let resumed = gateway.now
        gateway.run(beats: 20)
        gateway.finish()
        gateway.expectSound()
        #expect(gateway.deaf == [Interval(start: stopped, end: resumed)])
        let missed = gateway.batches.first { $0.state == .deaf }
        #expect(missed?.radio?.reports == 60)
    }

    @Test("a stall with arrival times fills its windows as if there was none")
    func filled() {
        let gateway = Gateway(stampsArrivals: true)
        let steady = Gateway(stampsArrivals: true)
        gateway.run(beats: 33)
        gateway.stop(beats: 60)
        gateway.run(beats: 20)
        steady.run(beats: 113)
        gateway.finish()
        steady.finish()
        gateway.expectSound()
        #expect(gateway.deaf.isEmpty)
        // The agents read the offset between the clocks separately, with a precision of some microseconds.
        #expect(gateway.batches.count == steady.batches.count)
        for (filled, steady) in zip(gateway.batches, steady.batches) {
            let difference = filled.interval.end - steady.interval.end
            #expect((-1...1).contains(difference.milliseconds))
        }
        let counts = gateway.batches.map { $0.radio?.reports ?? 0 }
        #expect(counts.dropFirst().dropLast().allSatisfy { (9...11).contains($0) })
    }

    @Test(
        "a report that arrives between the wake-up and the reading is in its own window",
        arguments: [2, 60])
    func late(beats: Int) {
        let gateway = Gateway(stampsArrivals: true)
        gateway.run(beats: 33)
        gateway.stop(beats: beats, late: 25)
        gateway.run(beats: 20)
        gateway.finish()
        gateway.expectSound()
        #expect(gateway.deaf.isEmpty)
        let counts = gateway.batches.map { $0.radio?.reports ?? 0 }
        #expect(counts.dropFirst().dropLast().allSatisfy { (9...11).contains($0) })
    }

    @Test("the deaf window of a stall lasts until all input is read")
    func lateMissed() {
        let gateway = Gateway(stampsArrivals: false)
        gateway.run(beats: 33)
        let stopped = gateway.now
        gateway.stop(beats: 60, late: 25)
        let resumed = gateway.now
        gateway.run(beats: 20)
        gateway.finish()
        gateway.expectSound()
        #expect(gateway.deaf == [Interval(start: stopped, end: resumed)])
    }

    @Test("a stall in an empty room is deaf without arrival times, and silence with them")
    func emptyRoom() {
        for stampsArrivals in [false, true] {
            let gateway = Gateway(stampsArrivals: stampsArrivals)
            gateway.pass(seconds: 0.5)
            gateway.pass(seconds: 6)
            gateway.finish()
            gateway.expectSound()
            #expect(gateway.deaf.count == (stampsArrivals ? 0 : 1))
        }
    }

    @Test("after dropped packets, the rest of the stall is deaf")
    func dropped() {
        let gateway = Gateway(stampsArrivals: true)
        gateway.run(beats: 5)
        for _ in 0..<20 { gateway.beat() }
        let full = gateway.now
        gateway.transport.drops = 40
        gateway.pass(seconds: 4)
        let resumed = gateway.now
        gateway.run(beats: 20)
        gateway.finish()
        gateway.expectSound()
        // To the precision of the clocks' offset.
        #expect(gateway.deaf.count == 1)
        #expect(abs(gateway.deaf.first?.start.microseconds(since: full) ?? .max) < 1000)
        #expect(gateway.deaf.first?.end == resumed)
        #expect(gateway.batches.first { $0.state == .deaf }?.radio?.dropped == 40)
    }

    @Test("after another program has stopped the scan, the rest of the stall is deaf")
    func scanStopped() {
        let gateway = Gateway(stampsArrivals: true, isExclusive: false)
        gateway.run(beats: 5)
        for _ in 0..<20 { gateway.beat() }
        let last = gateway.now
        gateway.transport.complete(.leSetScanEnable)
        gateway.pass(seconds: 4)
        let resumed = gateway.now
        gateway.finish()
        gateway.expectSound()
        #expect(abs(gateway.deaf.first?.start.microseconds(since: last) ?? .max) < 1000)
        #expect(gateway.deaf.first?.end == resumed)
    }

    @Test("a radio that is lost in a stall was deaf since its last report")
    func lost() {
        let gateway = Gateway(stampsArrivals: true)
        gateway.run(beats: 5)
        for _ in 0..<20 { gateway.beat() }
        let last = gateway.now
        gateway.transport.failure = RadioFailure(.down, Gateway.source, "hci0 is down")
        gateway.pass(seconds: 4)
        gateway.finish()
        gateway.expectSound()
        #expect(abs(gateway.deaf.first?.start.microseconds(since: last) ?? .max) < 1000)
        #expect(gateway.batches.last?.interval.end == gateway.now)
    }

    @Test("an exit after a stall does not claim that the radio heard")
    func finishes() {
        let gateway = Gateway(stampsArrivals: true)
        gateway.run(beats: 5)
        let stopped = gateway.now
        for _ in 0..<60 { gateway.beat() }
        gateway.finish()
        #expect(gateway.deaf == [Interval(start: stopped, end: gateway.now)])
    }

    @Test("a loop that wakes up to half a second late is no stall")
    func tolerates() {
        var detector = StallDetector()
        let start = Instant(microseconds: 1_000_000)
        let far = start + .seconds(60)
        #expect(detector.stall(at: far, windowEnd: far) == nil)
        #expect(detector.deadline == nil)
        detector.ran(at: start)
        #expect(detector.deadline == start + .seconds(1))
        #expect(detector.stall(at: start + .milliseconds(1500), windowEnd: far) == nil)
        #expect(detector.stall(at: start + .milliseconds(1501), windowEnd: far) == start)
        let windowEnd = start + .milliseconds(100)
        #expect(detector.stall(at: start + .milliseconds(600), windowEnd: windowEnd) == nil)
        #expect(detector.stall(at: start + .milliseconds(601), windowEnd: windowEnd) == start)
    }
}
