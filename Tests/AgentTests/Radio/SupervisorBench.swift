import Beacons
import Contract
import Logging
import Primitives
import Sightings
import TestVectors
import Testing

@testable import Agent
@testable import Radio

/// A supervisor with a radio that a test breaks and repairs, on the test's clock.
final class SupervisorBench {
    var now = Instant(microseconds: 5_000_000)
    var transport = AnsweringTransport()
    var failure: RadioFailure?
    private(set) var openings: [Instant] = []
    private(set) var batches: [Batch] = []
    private var supervisor: RadioSupervisor?

    init() {
        supervisor = RadioSupervisor(
            settings: GatewaySettings(report: ReportSettings { $0.maxSilence = .seconds(1) }),
            maxIdentities: 1000,
            log: Log(level: .silent), at: now, present: { [unowned self] in now },
            open: { [unowned self] desired, now throws(RadioFailure) in
                openings.append(now)
                if let failure { throw failure }
                return try LiveRadio(
                    transport, source: .raw(device: 0), advertising: desired,
                    randomAddress: DeviceAddress(randomStaticOf: "shop/entry"), at: now)
            },
            emit: { [unowned self] batch, _ in batches.append(batch) })
    }

    var deadline: Instant { supervisor?.deadline ?? now }
    var health: RadioHealth { supervisor?.health ?? RadioHealth() }

    @discardableResult
    func visit() -> RadioFailure? {
        do throws(RadioFailure) { try supervisor?.update(at: now) } catch { return error }
        return nil
    }

    /// Visits the supervisor at each deadline until then, and returns the number of visits.
    @discardableResult
    func run(for microseconds: Int64) -> Int {
        let end = now.advanced(byMicroseconds: microseconds)
        var visits = 0
        while deadline < end {
            now = max(now, deadline)
            visit()
            visits += 1
            if visits > 10_000 {
                Issue.record("busy loop")
                return visits
            }
        }
        now = end
        return visits
    }

    /// Visits the supervisor until the controller scans.
    func settle() {
        for _ in 0..<20 where !health.isHearing { visit() }
        #expect(health.isHearing)
    }

    func hear(_ minor: UInt16) {
        transport.hear(
            Advertisements.legacyEvent(
                Advertisements.legacyReport(Advertisements.iBeacon(minor))))
    }

    func readReports() throws -> Bool { try supervisor?.readReports(at: now) ?? false }

    func finish() { supervisor?.finish(at: now) }

    /// Checks that the batches are contiguous from `start` to `end`.
    func expectContiguous(from start: Instant, to end: Instant) {
        #expect(batches.first?.interval.start == start)
        #expect(batches.last?.interval.end == end)
        for (batch, next) in zip(batches, batches.dropFirst()) {
            #expect(batch.interval.end == next.interval.start)
        }
        #expect(batches.map(\.seq) == (0..<UInt64(batches.count)).map { $0 })
    }
}
