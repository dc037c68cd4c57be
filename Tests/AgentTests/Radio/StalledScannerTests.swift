import Primitives
import Testing

@testable import Agent
@testable import Radio

/// Scanners that deliver nothing although their controllers answer, without reference beacons.
@Suite struct StalledScannerTests {
    @Test(
        "a scan that stalls in a busy store is restarted within a minute, each time",
        arguments: [true, false])
    func stalledScanner(isShared: Bool) throws {
        let gateway = RecoveryGateway(isShared: isShared)
        gateway.audible = [1]
        for round in 1...3 {
            gateway.run(seconds: 100)
            gateway.switchScanOffUnseen()
            let stalled = gateway.now
            let taken = try #require(
                gateway.run(atMost: 60) { gateway in
                    gateway.batches.contains {
                        $0.interval.start > stalled && !$0.sightings.isEmpty
                    }
                })
            #expect((29...33).contains(taken))
            #expect(gateway.steps.rescans == round && gateway.steps.probes == round)
        }
        #expect(gateway.openings.count == 1)
        #expect(!gateway.health.isDegraded)
    }

    @Test("a store that becomes empty costs a rescan an hour at most")
    func emptiedStore() {
        let gateway = RecoveryGateway(isShared: false)
        gateway.audible = [1]
        gateway.run(seconds: 100)
        gateway.audible = []
        gateway.run(seconds: 12 * 3600)
        #expect((1...12).contains(gateway.steps.rescans))
        #expect(gateway.openings.count == 1)
        #expect(!gateway.health.isDegraded)
        // A passer-by who leaves soon gives no reason for another one.
        let rescans = gateway.steps.rescans
        for _ in 0..<5 {
            gateway.audible = [1]
            gateway.run(seconds: 10)
            gateway.audible = []
            gateway.run(seconds: 300)
        }
        #expect(gateway.steps.rescans <= rescans + 1)
    }

    @Test("a short visit does not delay the restart of a scan that stalls later")
    func stallsAfterVisit() throws {
        let gateway = RecoveryGateway(isShared: false)
        gateway.audible = [1]
        gateway.run(seconds: 10)
        gateway.audible = []
        gateway.run(seconds: 300)
        #expect(gateway.steps.rescans == 1)
        gateway.audible = [1]
        gateway.run(seconds: 600)
        gateway.switchScanOffUnseen()
        let stalled = gateway.now
        try #require(
            gateway.run(atMost: 60) { gateway in
                gateway.batches.contains {
                    $0.interval.start > stalled && !$0.sightings.isEmpty
                }
            } != nil)
        #expect(gateway.steps.rescans == 2)
    }

    @Test("the log names no missing reference where none is configured")
    func cause() {
        var recovery = RadioRecovery(RecoverySettings(isShared: true))
        let at = { (second: Int64) in Instant(microseconds: second * 1_000_000) }
        recovery.on(.scanStarted, at: at(1))
        for second in 1...20 as ClosedRange<Int64> {
            recovery.tick(at: at(second), .init(report: at(second), references: nil))
        }
        recovery.tick(at: at(60), .init(report: at(20), references: nil))
        recovery.on(.probeAnswered, at: at(61))
        #expect(recovery.counts.rescans == 1)
        #expect(recovery.cause(isOpen: true) == "no reports after many")
    }
}
