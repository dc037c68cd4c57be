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

@Suite struct RecoveryTests {
    private static let unmasking: [Opcode] = [
        .setEventMask, .leSetEventMask, .leSetScanEnable, .leSetScanParameters, .leSetScanEnable,
    ]

    @Test(
        "an empty room doubles the time between probes, at the cost of one command each",
        arguments: [true, false])
    func emptyRoom(isShared: Bool) {
        let gateway = RecoveryGateway(isShared: isShared)
        gateway.run(seconds: 1)
        let sent = gateway.transport.sent.count
        gateway.run(seconds: 12 * 3600)
        var asked = Array(gateway.transport.sent.dropFirst(sent))
        if isShared {
            // Once, because another program may have reset it.
            #expect(Array(asked[1...5]) == Self.unmasking)
            asked.removeSubrange(1...5)
        }
        #expect(asked.allSatisfy { $0 == .readLocalVersion })
        #expect(asked.count == gateway.steps.probes)
        #expect((10...20).contains(asked.count))
        #expect(gateway.openings.count == 1)
        #expect(!gateway.health.isDegraded)
        #expect(gateway.batches.allSatisfy { $0.state == .hearing })
        // A visit for each window, and some for the probes.
        #expect(gateway.visits < 12 * 3600 + 200)
    }

    @Test(
        "a shared controller that was reset before opening hears after the first probe"
    )
    func resetBefore() throws {
        let gateway = RecoveryGateway(isShared: true)
        gateway.resetUnseen()
        gateway.audible = [1]
        gateway.run(seconds: 29)
        #expect(gateway.batches.allSatisfy { $0.sightings.isEmpty })
        let taken = try #require(
            gateway.run(atMost: 10) { $0.batches.contains { !$0.sightings.isEmpty } })
        #expect(taken < 3)
        #expect(gateway.steps.probes == 1 && gateway.openings.count == 1)
        gateway.run(seconds: 600)
        let asked = gateway.transport.sent.count { $0 == .leSetEventMask }
        // The kernel's reset does not use this transport.
        #expect(asked == 1)
        #expect(gateway.steps.probes == 1)
        gateway.expectContiguous()
    }

    @Test("a controller that sends events keeps its event masks, and so does an exclusive one")
    func unmasksOnlyInDoubt() {
        for isShared in [true, false] {
            let gateway = RecoveryGateway(isShared: isShared)
            if isShared { gateway.audible = [1] }
            gateway.run(seconds: 10)
            gateway.audible = []
            gateway.run(seconds: 600)
            #expect(gateway.steps.probes > 1)
            let asked = gateway.transport.sent.count { $0 == .leSetEventMask }
            #expect(asked == (isShared ? 0 : 1))
        }
    }

    @Test("a shared controller that disallows the scan for a while is left alone")
    func disallowed() throws {
        let gateway = RecoveryGateway(isShared: true)
        gateway.audible = [1]
        gateway.misbehave(.refuse(.leSetScanParameters, .commandDisallowed, times: 6))
        let taken = try #require(gateway.run(atMost: 60) { $0.health.isHearing })
        #expect(taken < 10)
        gateway.run(seconds: 100)
        #expect(gateway.steps == RecoveryPolicy.Counts())
        #expect(gateway.openings.count == 1 && gateway.health.restarts == 0)
        #expect(!gateway.health.isDegraded)
        gateway.expectContiguous()
        let (deaf, hearing) = (
            gateway.batches.prefix { $0.state == .deaf }, gateway.batches.drop { $0.state == .deaf }
        )
        #expect(!deaf.isEmpty && hearing.allSatisfy { $0.state == .hearing })
    }

    @Test("a radio with reports is never probed, whatever the reports")
    func hears() {
        let gateway = RecoveryGateway(isShared: false)
        gateway.audible = [1]
        gateway.run(seconds: 600)
        #expect(gateway.steps == RecoveryPolicy.Counts())
        #expect(!gateway.health.isDegraded)
    }

    @Test(
        "a scan that stopped unnoticed is restarted by the first step, if a reference is missing",
        arguments: [true, false])
    func rescanHelps(isShared: Bool) throws {
        let gateway = RecoveryGateway(isShared: isShared, references: [7])
        gateway.audible = [1, 7]
        gateway.run(seconds: 100)
        gateway.switchScanOffUnseen()
        let taken = try #require(gateway.run(atMost: 60) { $0.steps.rescans == 1 })
        #expect((30...31).contains(taken))
        gateway.run(seconds: 5)
        var expected = RecoveryPolicy.Counts()
        expected.probes = 1
        expected.rescans = 1
        #expect(gateway.steps == expected)
        #expect(!gateway.health.isDegraded && gateway.health.isHearing)
        #expect(gateway.openings.count == 1)
        gateway.expectContiguous()
    }

    @Test("a controller that answers without reports is reset, and its windows are deaf")
    func resetHelps() throws {
        let gateway = RecoveryGateway(isShared: false, references: [7])
        gateway.audible = [1, 7]
        gateway.run(seconds: 100)
        gateway.misbehave(.silent(nil))
        let noticed = try #require(gateway.run(atMost: 60) { $0.health.isDegraded })
        #expect((30...31).contains(noticed))
        #expect(!gateway.health.isHearing)
        let mended = try #require(gateway.run(atMost: 60) { !$0.health.isDegraded })
        #expect((14...17).contains(mended))
        var expected = RecoveryPolicy.Counts()
        expected.probes = 1
        expected.rescans = 1
        expected.resets = 1
        #expect(gateway.steps == expected)
        #expect(gateway.health.isHearing && gateway.openings.count == 2)
        gateway.run(seconds: 10)
        gateway.finish()
        let deaf = gateway.batches.filter { $0.state == .deaf }
            .reduce(0) { $0 + $1.interval.microseconds }
        #expect((14_000_000...17_000_000).contains(deaf))
        #expect(gateway.batches.allSatisfy { $0.state == .hearing || $0.sightings.isEmpty })
        gateway.expectContiguous()
    }

    @Test(
        "a shared adapter is recovered by a power cycle",
        arguments: [CommandFamily.legacy, .extended])
    func powerCycleHelps(family: CommandFamily) throws {
        let gateway = RecoveryGateway(family: family, isShared: true, references: [7])
        gateway.audible = [7]
        gateway.run(seconds: 10)
        gateway.misbehave(.silent(nil))
        _ = try #require(gateway.run(atMost: 120) { $0.powerCycles == 1 })
        _ = try #require(gateway.run(atMost: 5) { !$0.health.isDegraded })
        var expected = RecoveryPolicy.Counts()
        expected.probes = 1
        expected.rescans = 1
        expected.powerCycles = 1
        #expect(gateway.steps == expected)
        #expect(!gateway.transport.sent.contains(.reset))
        gateway.expectContiguous()
    }

    @Test(
        "without permission, the adapter stays up, and the rests repeat"
    )
    func notPermitted() throws {
        let gateway = RecoveryGateway(isShared: true, references: [7])
        gateway.powerOutcome = .failure(.notPermitted)
        gateway.audible = [7]
        gateway.run(seconds: 10)
        gateway.misbehave(.silent(.seconds(7200)))
        gateway.run(seconds: 3600)
        #expect(gateway.powerCycles == 1)
        #expect(gateway.steps.powerCycles == 0)
        #expect((3...30).contains(gateway.steps.gaveUp))
        #expect(gateway.health.isDegraded && !gateway.health.isHearing)
        gateway.run(seconds: 7200)
        #expect(!gateway.health.isDegraded && gateway.health.isHearing)
        gateway.expectContiguous()
    }

    @Test(
        "a probe detects a stalled controller, and the first answered step recovers it",
        arguments: [true, false])
    func stalls(isShared: Bool) throws {
        let gateway = RecoveryGateway(isShared: isShared)
        gateway.audible = [1]
        gateway.run(seconds: 10)
        gateway.misbehave(.stall(.seconds(33)))
        let noticed = try #require(gateway.run(atMost: 60) { $0.health.isDegraded })
        #expect((31.5...32.5).contains(noticed))
        #expect(!gateway.health.isHearing)
        _ = try #require(gateway.run(atMost: 10) { !$0.health.isDegraded })
        #expect(gateway.health.isHearing)
        #expect(gateway.steps.rescans == 1 && gateway.steps.resets == 0)
        gateway.run(seconds: 2)
        gateway.expectContiguous()
    }

    @Test(
        "a dead controller has ever longer rests, and is recovered when it works again",
        arguments: [true, false])
    func dead(isShared: Bool) throws {
        let gateway = RecoveryGateway(isShared: isShared)
        gateway.audible = [1]
        gateway.run(seconds: 10)
        gateway.misbehave(.stall(.seconds(86_400)))
        gateway.audible = []
        gateway.run(seconds: 86_300)
        #expect(gateway.health.isDegraded)
        #expect((20...200).contains(gateway.steps.gaveUp))
        #expect(gateway.openings.count < 600)
        gateway.audible = [1]
        let back = try #require(gateway.run(atMost: 1900) { !$0.health.isDegraded })
        #expect(back > 0 && gateway.health.isHearing)
        gateway.run(seconds: 2)
        gateway.expectContiguous()
    }

    @Test(
        "a hardware error leads to a step immediately, repeated errors to stronger steps",
        arguments: [true, false])
    func hardwareErrors(isShared: Bool) {
        let gateway = RecoveryGateway(isShared: isShared)
        gateway.audible = [1]
        gateway.run(seconds: 10)
        gateway.misbehave(.hardwareError(code: 0x42))
        gateway.run(seconds: 5)
        #expect(gateway.health.isHearing && !gateway.health.isDegraded)
        #expect(gateway.steps.rescans == (isShared ? 1 : 0))
        #expect(gateway.steps.resets == (isShared ? 0 : 1))
        gateway.misbehave(.hardwareError(code: 0x42))
        gateway.run(seconds: 5)
        #expect(gateway.powerCycles == (isShared ? 1 : 0))
        #expect(gateway.steps.gaveUp == (isShared ? 0 : 1))
        gateway.run(seconds: 60)
        #expect(gateway.health.isHearing && !gateway.health.isDegraded)
        gateway.expectContiguous()
    }

    @Test("a short interference is no degradation, a long one is")
    func interference() {
        let gateway = RecoveryGateway(isShared: true)
        gateway.audible = [1]
        gateway.run(seconds: 10)
        gateway.transport.controller.receive(
            HCICommand.scanEnable(false, .legacy).packet, at: gateway.now)
        gateway.run(seconds: 1)
        #expect(!gateway.health.isDegraded && gateway.health.isHearing)
        gateway.run(seconds: 5)
        #expect(gateway.health.interferences == 1)
        #expect(gateway.health.isHearing)
    }
}
