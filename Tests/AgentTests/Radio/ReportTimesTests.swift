import Contract
import HCI
import Logging
import Posix
import Primitives
import Radio
import Sightings
import TestVectors
import Testing

@testable import Agent

/// The times of reports that the kernel has dated.
@Suite struct ReportTimesTests {
    private static let start = Instant(microseconds: 7_000_000)
    /// When the reports are read, which is after the time of the read.
    private static let present = start + .milliseconds(50)

    /// The sightings of a gateway that reads events once, 20 ms after its former read.
    ///
    /// - Parameter arrivals: the kernel's times, in milliseconds after the former read; `nil` without one.
    private func sightings(of arrivals: [Int64?]) throws -> [Sighting] {
        let transport = AnsweringTransport()
        transport.stampsArrivals = true
        var batches: [Batch] = []
        let supervisor = RadioSupervisor(
            settings: GatewaySettings(), maxIdentities: 1000, log: Log(level: .silent),
            at: Self.start, present: { Self.present },
            open: { desired, now throws(RadioFailure) in
                try LiveRadio(
                    transport, source: .raw(device: 0), advertising: desired, at: now)
            },
            emit: { batch, _ in batches.append(batch) })
        for _ in 0..<20 { try supervisor.update(at: Self.start) }
        let offset = Clocks.wallMinusBoot
        for arrival in arrivals {
            transport.hear(
                Advertisements.legacyEvent(Advertisements.legacyReport(Advertisements.iBeacon(1))),
                arrival: arrival.map { Self.start + .milliseconds($0) + offset })
        }
        let now = Self.start.advanced(byMilliseconds: 20)
        #expect(try supervisor.readReports(at: now))
        supervisor.finish(at: now.advanced(byMilliseconds: 100))
        return batches.flatMap(\.sightings)
    }

    @Test(
        "a report has the kernel's time, between the former read and the present",
        arguments: [
            ([3, 15], 3...15), ([nil, nil], 20...20), ([3, nil], 3...20),
            ([3, 45], 3...45),
            // The wall clock was set by an hour.
            ([-3_600_000, -3_599_990], 0...0), ([3_600_000, 3_600_010], 50...50),
        ] as [([Int64?], ClosedRange<Int64>)])
    func dates(arrivals: [Int64?], expected: ClosedRange<Int64>) throws {
        let sighting = try #require(try sightings(of: arrivals).first)
        #expect(sighting.count == arrivals.count)
        // The supervisor reads the offset between the clocks itself, with a precision of some microseconds.
        let first = (sighting.firstSeen - Self.start).microseconds
        let last = (sighting.lastSeen - Self.start).microseconds
        #expect(abs(first - expected.lowerBound * 1000) < 1000)
        #expect(abs(last - expected.upperBound * 1000) < 1000)
    }
}
