import Beacons
import Contract
import HCI
import Posix
import Sightings
import SimulatedRadio
import Testing
import VirtualRadio

@testable import Agent
@testable import Radio

@Suite("reference beacons")
struct ReferenceTests {
    @Test(
        "a dead reference makes the gateway degraded, not deaf, at a low cost")
    func deadReference() {
        let gateway = RecoveryGateway(isShared: true, references: [7, 8])
        gateway.audible = [1, 7, 8]
        gateway.run(seconds: 10)
        gateway.audible = [1, 7]
        gateway.run(seconds: 59)
        #expect(!gateway.health.isDegraded)
        gateway.run(seconds: 3600)
        #expect(gateway.health.isDegraded)
        let deaf = gateway.batches.filter { $0.state == .deaf }
            .reduce(0) { $0 + $1.interval.microseconds }
        // Half a second for each power cycle of the adapter.
        #expect(deaf <= Int64(gateway.powerCycles) * 600_000)
        #expect((3...30).contains(gateway.powerCycles))
        gateway.audible = [1, 7, 8]
        gateway.run(seconds: 2)
        #expect(!gateway.health.isDegraded)
        gateway.expectContiguous()
    }

    @Test("changed references count as missing after a minute")
    func otherReferences() {
        let gateway = RecoveryGateway(isShared: true)
        gateway.audible = [1, 2]
        gateway.run(seconds: 300)
        gateway.watch([1, 9])
        gateway.run(seconds: 55)
        #expect(gateway.steps.probes == 0)
        gateway.run(seconds: 10)
        #expect(gateway.steps.rescans == 1)
        #expect(gateway.health.isDegraded)
        gateway.watch([1])
        gateway.run(seconds: 60)
        #expect(!gateway.health.isDegraded)
        let steps = gateway.steps
        gateway.run(seconds: 600)
        gateway.watch([])
        gateway.audible = [2]
        gateway.run(seconds: 600)
        #expect(gateway.steps == steps)
    }

    @Test("references are heard despite the filter")
    func filtered() throws {
        let other = try #require(ProximityUUID("00000000-0000-0000-0000-000000000001"))
        let gateway = RecoveryGateway(
            isShared: false, references: [7],
            tuning: GatewaySettings(filter: FilterSettings { $0.uuids = [other] }))
        gateway.audible = [7]
        gateway.run(seconds: 600)
        #expect(gateway.steps == RecoveryPolicy.Counts())
        #expect(gateway.health.counts.filtered > 5000)
    }
}
