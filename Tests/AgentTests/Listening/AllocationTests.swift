import Beacons
import CAllocations
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

/// The radio process allocates no memory for an advertisement of a known beacon.
///
/// This program wraps the heap's functions, so that each allocation counts, even if it is freed
/// immediately. A sanitizer does not allow the wrapping. No report here is malformed: the testing
/// library allocates memory for every thrown error.
@Suite(.enabled(if: sightline_allocations_countable() == 1, "a sanitizer owns the heap"))
struct AllocationTests {
    /// Events with one or four reports, alternately legacy and extended, of all formats; the identities repeat.
    private static let events: [[UInt8]] = (UInt16(0)..<200).map { index in
        let data = Advertisements.iBeacon(index % 50)
        switch index % 4 {
        case 0: return Advertisements.extendedEvent(Advertisements.extendedReport(data, sender: 9))
        case 1:
            let other = index % 8 == 1 ? Advertisements.altBeacon : Advertisements.eddystoneUID
            return Advertisements.legacyEvent(Advertisements.legacyReport(other))
        case 2: return Advertisements.legacyEvent(Advertisements.legacyReport([2, 1, 6], rssi: 99))
        default:
            let report = Advertisements.legacyReport(data, sender: 9)
            return Advertisements.legacyEvent(report, report, report, report)
        }
    }

    @Test("the allocation counter counts an array")
    func counts() {
        let size = Int.random(in: 1000...2000)
        sightline_allocations_begin()
        let array = [UInt8](repeating: 1, count: size)
        let count = sightline_allocations_end()
        #expect(count == 1 && array.count == size)
    }

    @Test(
        "a listener allocates nothing for known beacons",
        arguments: [.iBeacon, .all] as [BeaconFormats])
    func listener(formats: BeaconFormats) {
        let own = OwnBeacon(
            address: DeviceAddress(address: 1, type: 0), identities: [Advertisements.identity(1)])
        var listener = Listener(
            Windows(
                Windows.Settings(filter: BeaconFilter(formats: formats), own: own),
                from: Instant(microseconds: 0), seed: HashSeed(1, 2)),
            Batcher(Batcher.Settings()),
            references: ReferenceWatch((1...16).map { Advertisements.identity($0) }))
        let stream: [UInt8] = Self.events.joined().map(\.self)
        var ranges: [Range<Int>] = []
        for event in Self.events {
            let start = ranges.last?.upperBound ?? 0
            ranges.append(start..<start + event.count)
        }
        // The bytes are lent once, and all beacons are known, so only the listener's allocations
        // count.
        let allocations = stream.withBytes { bytes in
            Self.hear(bytes, ranges, &listener, rounds: 1)
            sightline_allocations_begin()
            Self.hear(bytes, ranges, &listener, rounds: 50)
            return sightline_allocations_end()
        }
        #expect(allocations == 0)
    }

    @Test("an update costs the same for two hundred advertisements as for one")
    func visit() throws {
        let (near, far) = try Sockets.pair()
        let controller = Descriptor(owning: far)
        let transport = StreamTransport(
            Descriptor(owning: near), source: .h4(.unix(path: "test")))
        let start = Instant(microseconds: 0)
        var opening: LiveRadio? = try LiveRadio(
            transport, source: .h4(.unix(path: "test")), at: start)
        let supervisor = RadioSupervisor(
            settings: GatewaySettings(report: ReportSettings { $0.window = .seconds(3600) }),
            maxIdentities: 1000,
            log: Log(level: .error), at: start,
            open: { _, _ throws(RadioFailure) in
                guard let radio = opening else {
                    throw RadioFailure(.lost, .h4(.unix(path: "test")), "once only")
                }
                opening = nil
                return radio
            }, emit: { _, _ in })
        while !supervisor.health.isHearing {
            var command = [UInt8](repeating: 0, count: 512)
            let number = controller.rawValue
            let read = command.withUnsafeMutableBytes { Descriptor.read(number, into: $0) }
            if try read.get() != nil {
                try controller.writeAll([0x04, 0x0e, 4, 1, command[1], command[2], 0])
            }
            try supervisor.update(at: start)
        }
        let many: [UInt8] = Self.events.flatMap { [0x04] + $0 }
        func cost(of stream: [UInt8]) throws -> UInt {
            try controller.writeAll(stream)
            sightline_allocations_begin()
            defer { _ = sightline_allocations_end() }
            try supervisor.update(at: start)
            return sightline_allocations_end()
        }
        _ = try cost(of: many)
        let one = try cost(of: [0x04] + Self.events[3])
        let all = try cost(of: many)
        #expect(all == one)
        supervisor.finish(at: Instant(microseconds: 1))
        #expect(supervisor.health.counts.reports > 400)
    }

    /// Without iterators, which allocate memory in a build without optimisation.
    private static func hear(
        _ bytes: Bytes, _ ranges: [Range<Int>], _ listener: inout Listener, rounds: Int
    ) {
        var index = 0
        while index < rounds * ranges.count {
            listener.process(
                bytes.extracting(ranges[index % ranges.count]),
                at: Instant(microseconds: Int64(index))
            ) { _ in }
            index += 1
        }
    }
}
