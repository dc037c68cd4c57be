import Beacons
import HCI
import TestVectors
import Testing
import VirtualRadio

@testable import Radio

@Suite struct AdvertisingInterferenceTests {
    private static let families = [CommandFamily.legacy, .extended]
    private let ours = Advertising.sample(1)
    private let theirs = Advertising.sample(99, milliseconds: 500)

    @Test(
        "interference with the advertising is corrected completely, without touching the scan",
        arguments: families)
    func putsBack(family: CommandFamily) throws {
        let bench = try Bench.settled(family, isExclusive: false, .on(ours))
        for command in ControllerDialogue.advertise(theirs, family) { try bench.meddle(command) }
        #expect(bench.state == AdvertisingState())
        #expect(bench.controller.interferences == 1)
        #expect(bench.controller.deadline == bench.now)
        try bench.wait(1)
        #expect(bench.sent == ControllerDialogue.advertise(ours, family))
        #expect(bench.notices == [.advertisingChanged, .advertisingChanged])
        #expect(bench.shows(ours))
        #expect(bench.controller.isScanning)
    }

    @Test("each command that affects the advertising counts as interference", arguments: families)
    func each(family: CommandFamily) throws {
        var opcodes = Set(ControllerDialogue.advertise(ours, family).map(\.opcode))
        if family == .extended {
            opcodes.formUnion([.leRemoveAdvertisingSet, .leClearAdvertisingSets])
        }
        for opcode in opcodes {
            let dialogue = try ControllerDialogue.scanning(
                family, isExclusive: false, advertising: .on(ours))
            #expect(try dialogue.complete(opcode) == [.advertisingChanged])
            #expect(dialogue.interferences == 1)
            #expect(dialogue.isScanning)
            let actions = try dialogue.converse(family, from: dialogue.tick())
            #expect(actions.commands == ControllerDialogue.advertise(ours, family))
            #expect(actions.last == .advertisingChanged)
        }
    }

    @Test(
        "refused commands, the other family's and unrelated ones are ignored"
    )
    func others() throws {
        let dialogue = try ControllerDialogue.scanning(
            .legacy, isExclusive: false, advertising: .on(ours))
        #expect(try dialogue.complete(.leSetAdvertisingEnable, [0x0c]).isEmpty)
        for opcode in [
            Opcode.leSetExtendedAdvertisingEnable, .leClearAdvertisingSets, .leSetRandomAddress,
        ] {
            #expect(try dialogue.complete(opcode).isEmpty)
        }
        #expect(dialogue.interferences == 0)
        #expect(dialogue.advertising.advertising == ours)
    }

    @Test(
        "without advertising of the gateway, other programs' commands are ignored",
        arguments: families
    )
    func notOurs(family: CommandFamily) throws {
        for desired in [DesiredAdvertising.off, .untouched] {
            let bench = try Bench.settled(family, isExclusive: false, desired)
            for command in ControllerDialogue.advertise(theirs, family) {
                try bench.meddle(command)
            }
            try bench.wait(10_000_000)
            #expect(bench.sent.isEmpty && bench.notices.isEmpty)
            #expect(bench.controller.interferences == 0)
            #expect(bench.controller.stopCommands() == [.scanEnable(false, family)])
        }
    }

    @Test("an exclusive controller has no interference", arguments: families)
    func exclusive(family: CommandFamily) throws {
        let dialogue = try ControllerDialogue.scanning(
            family, isExclusive: true, advertising: .on(ours))
        #expect(try dialogue.complete(Bench.Part.enable.opcode(family)).isEmpty)
        #expect(dialogue.interferences == 0)
    }

    @Test("after a reset the advertising and the scan are restored", arguments: families)
    func reset(family: CommandFamily) throws {
        let bench = try Bench.settled(family, isExclusive: false, .on(ours))
        try bench.meddle(.reset)
        #expect(bench.state == AdvertisingState())
        try bench.wait(200_000)
        #expect(
            bench.sent == ControllerDialogue.advertise(ours, family)
                + [.setEventMask, .leSetSharedEventMask(version: 9)]
                + ControllerDialogue.scan(family).dropFirst())
        #expect(
            bench.notices == [.scanStopped, .advertisingChanged, .advertisingChanged, .scanStarted])
        #expect(bench.shows(ours))
    }

    @Test("the advertising is restored at most once a second", arguments: families)
    func noDuel(family: CommandFamily) throws {
        let bench = try Bench.settled(family, isExclusive: false, .on(ours))
        // For almost ten seconds, another program switches it off every tenth of a second.
        for _ in 0..<99 {
            try bench.meddle(.advertisingEnable(false, family))
            try bench.wait(100_000)
        }
        #expect(bench.sent.count == 10 * 4)
        try bench.wait(1_000_000)
        #expect(bench.shows(ours))
    }

    @Test(
        "after interference during a change, the requested advertising is on the air",
        arguments: families
    )
    func midway(family: CommandFamily) throws {
        for answered in 0..<4 {
            for command in ControllerDialogue.advertise(theirs, family) {
                let bench = try Bench.settled(family, isExclusive: false, .on(ours))
                bench.advertise(.on(.sample(2)))
                for _ in 0..<answered { _ = try bench.step() }
                try bench.meddle(command)
                try bench.settle()
                try bench.wait(2_000_000)
                #expect(bench.shows(.sample(2)))
                #expect(bench.notices.count { $0 == .advertised(.applied) } == 1)
                #expect(bench.controller.isScanning)
            }
        }
    }

    @Test("a scan that is restored during a change goes first", arguments: families)
    func scanFirst(family: CommandFamily) throws {
        let bench = try Bench.settled(family, isExclusive: false, .on(ours))
        bench.advertise(.on(.sample(2)))
        try bench.meddle(.scanEnable(false, family))
        try bench.wait(200_000, settles: false)
        try bench.settle()
        var expected = ControllerDialogue.advertise(.sample(2), family)
        expected.insert(.scanEnable(true, family), at: 1)
        #expect(bench.sent == expected)
        #expect(bench.notices == [.scanStopped, .scanStarted, .advertised(.applied)])
    }

    @Test("a refusal after interference restores the former advertising", arguments: families)
    func rollsBack(family: CommandFamily) throws {
        let bench = try Bench.settled(family, isExclusive: false, .on(ours))
        for command in ControllerDialogue.advertise(theirs, family) { try bench.meddle(command) }
        bench.refuse(.data, with: .unspecifiedError, times: 1)
        try bench.tune(.on(.sample(2, milliseconds: 200)))
        #expect(bench.shows(ours))
        // To the data, and from the parameters on back; of the old ones nothing was held any more.
        var expected = ControllerDialogue.advertise(.sample(2, milliseconds: 200), family)
        expected.removeLast()
        expected += ControllerDialogue.advertise(ours, family).dropFirst()
        #expect(bench.sent == expected)
    }
}
