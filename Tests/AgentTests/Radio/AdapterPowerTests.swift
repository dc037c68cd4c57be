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

@Suite("adapters that are down, absent or beyond recovery")
struct AdapterPowerTests {
    private static let down = RadioFailure(.down, RecoveryGateway.source, "hci0 is down")

    @Test("a shared adapter that failed to come up is brought up later")
    func leftDown() throws {
        let gateway = RecoveryGateway(isShared: true, references: [7])
        gateway.powerOutcome = .failure(.timedOut)
        gateway.audible = [7]
        gateway.run(seconds: 10)
        gateway.misbehave(.silent(nil))
        _ = try #require(gateway.run(atMost: 120) { $0.powerCycles == 1 })
        gateway.failure = Self.down
        _ = try #require(gateway.run(atMost: 120) { $0.powerCycles == 2 })
        gateway.powerOutcome = .success(())
        gateway.failure = nil
        _ = try #require(gateway.run(atMost: 120) { !$0.health.isDegraded })
        #expect(gateway.health.isHearing)
    }

    @Test("an adapter that the operator took down stays down")
    func downByOthers() {
        let gateway = RecoveryGateway(isShared: true)
        gateway.audible = [1]
        gateway.run(seconds: 10)
        gateway.failure = Self.down
        gateway.run(seconds: 600)
        #expect(gateway.powerCycles == 0)
        #expect(gateway.steps == RecoveryPolicy.Counts())
        #expect(gateway.health.isDegraded && !gateway.health.isHearing)
        gateway.failure = nil
        gateway.run(seconds: 40)
        #expect(!gateway.health.isDegraded && gateway.health.isHearing)
    }

    @Test("a shared adapter that is down is switched on if the configuration allows that")
    func switchesOn() throws {
        let gateway = RecoveryGateway(isShared: true, powersOn: true)
        gateway.audible = [1]
        for _ in 0..<2 {
            gateway.failure = Self.down
            let taken = try #require(
                gateway.run(atMost: 10) { $0.health.isHearing && $0.failure == nil })
            #expect(taken < 2)
            #expect(gateway.suppressed.isEmpty)
            gateway.run(seconds: 60)
        }
        #expect(gateway.powerCycles == 2)
        #expect(gateway.steps == RecoveryPolicy.Counts())
        gateway.expectContiguous()
    }

    @Test("without permission, an adapter that is down is left alone after one attempt")
    func mayNotSwitchOn() {
        let gateway = RecoveryGateway(isShared: true, powersOn: true)
        gateway.powerOutcome = .failure(.notPermitted)
        gateway.failure = Self.down
        gateway.run(seconds: 600)
        #expect(gateway.powerCycles == 1)
        #expect(gateway.steps == RecoveryPolicy.Counts())
        #expect(gateway.openings.count < 60)
    }

    @Test("an adapter that can't be switched on yet is tried again within 30 s")
    func blocked() throws {
        let gateway = RecoveryGateway(isShared: true, powersOn: true)
        gateway.audible = [1]
        gateway.powerOutcome = .failure(.blockedByRFKill)
        gateway.failure = Self.down
        // The pauses of the recovery would be minutes long by now.
        gateway.run(seconds: 7200)
        #expect(gateway.steps == RecoveryPolicy.Counts())
        gateway.powerOutcome = .success(())
        _ = try #require(gateway.run(atMost: 35) { $0.health.isHearing })
    }

    @Test("health has the share of the time in which the radio listens", arguments: [100, 80, 5])
    func share(percent: Int) {
        let gateway = RecoveryGateway(isShared: false, scanDutyPercent: percent)
        #expect(gateway.health.scanDutyPercent == nil)
        gateway.run(seconds: 10)
        #expect(gateway.health.scanDutyPercent == percent)
    }

    @Test("an adapter that appears is opened at once")
    func appears() {
        let gateway = RecoveryGateway(isShared: true)
        gateway.audible = [1]
        gateway.failure = .system(.noSuchDevice, RecoveryGateway.source)
        gateway.run(seconds: 600)
        gateway.arrive()
        gateway.run(seconds: 0.5)
        #expect(gateway.health.isHearing)
        gateway.expectContiguous()
    }

    @Test(
        "a radio that no step recovers ends the agent, if the configuration has a limit",
        arguments: [0, 10])
    func exits(minutes: Int) throws {
        let gateway = RecoveryGateway(isShared: true, exitAfterMinutes: minutes)
        gateway.audible = [1]
        gateway.run(seconds: 10)
        gateway.misbehave(.stall(.seconds(86_400)))
        // The silence is a fault after the probe, 32 s later.
        gateway.run(seconds: 600)
        #expect(!gateway.mustExit && gateway.steps.powerCycles > 0)
        gateway.audible = []
        _ = gateway.run(atMost: 60) { $0.mustExit }
        #expect(gateway.mustExit == (minutes > 0))
    }

    @Test("a missing reference never ends an agent that hears other beacons")
    func staysForReference() {
        let gateway = RecoveryGateway(isShared: true, references: [7], exitAfterMinutes: 10)
        gateway.audible = [1, 7]
        gateway.run(seconds: 10)
        gateway.audible = [1]
        gateway.run(seconds: 3600)
        #expect(gateway.health.isDegraded && !gateway.mustExit)
    }
}
