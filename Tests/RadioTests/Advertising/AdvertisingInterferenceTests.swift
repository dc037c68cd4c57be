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
        "What another program took is put back, whole, and the scan is left alone",
        arguments: families)
    func putsBack(family: CommandFamily) throws {
        let bench = try Bench.settled(family, isExclusive: false, .on(ours))
        for command in ControllerDialogue.advertise(theirs, family) { try bench.meddle(command) }
        #expect(bench.state == AdvertisingState())
        #expect(bench.controller.interferences == 1)
        #expect(bench.controller.deadline == bench.now)
        try bench.wait(1)
        #expect(bench.sent == ControllerDialogue.advertise(ours, family))
        #expect(bench.turns == [.advertisingChanged, .advertisingChanged])
        #expect(bench.shows(ours))
        #expect(bench.controller.isHearing)
    }

    @Test("Each of the commands that touch it counts", arguments: families)
    func each(family: CommandFamily) throws {
        var opcodes = Set(ControllerDialogue.advertise(ours, family).map(\.opcode))
        if family == .extended {
            opcodes.formUnion([.leRemoveAdvertisingSet, .leClearAdvertisingSets])
        }
        for opcode in opcodes {
            let dialogue = try ControllerDialogue.hearing(
                family, isExclusive: false, advertising: .on(ours))
            #expect(try dialogue.complete(opcode) == [.advertisingChanged])
            #expect(dialogue.interferences == 1)
            #expect(dialogue.isHearing)
            let actions = try dialogue.converse(family, from: dialogue.tick())
            #expect(actions.commands == ControllerDialogue.advertise(ours, family))
            #expect(actions.last == .advertisingChanged)
        }
    }

    @Test(
        "Refused commands, other families', and those that don't advertise are none of our business"
    )
    func others() throws {
        let dialogue = try ControllerDialogue.hearing(
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
        "When nothing of ours should be on the air, others may do as they like", arguments: families
    )
    func notOurs(family: CommandFamily) throws {
        for wish in [DesiredAdvertising.off, .untouched] {
            let bench = try Bench.settled(family, isExclusive: false, wish)
            for command in ControllerDialogue.advertise(theirs, family) {
                try bench.meddle(command)
            }
            try bench.wait(10_000_000)
            #expect(bench.sent.isEmpty && bench.turns.isEmpty)
            #expect(bench.controller.interferences == 0)
            #expect(bench.controller.farewell() == [.scanEnable(false, family)])
        }
    }

    @Test("On a controller of our own there is nobody else", arguments: families)
    func exclusive(family: CommandFamily) throws {
        let dialogue = try ControllerDialogue.hearing(
            family, isExclusive: true, advertising: .on(ours))
        #expect(try dialogue.complete(Bench.Part.enable.opcode(family)).isEmpty)
        #expect(dialogue.interferences == 0)
    }

    @Test("After a reset the scan goes first, then ours is put back", arguments: families)
    func reset(family: CommandFamily) throws {
        let bench = try Bench.settled(family, isExclusive: false, .on(ours))
        try bench.meddle(.reset)
        #expect(bench.state == AdvertisingState())
        try bench.wait(1)
        #expect(
            bench.sent == [.setEventMask, .leSetSharedEventMask] + ControllerDialogue.scan(family)
                + ControllerDialogue.advertise(ours, family))
        #expect(bench.turns == [.deaf, .advertisingChanged, .hearing, .advertisingChanged])
        #expect(bench.shows(ours))
    }

    @Test("It is put back at most once a second", arguments: families)
    func noDuel(family: CommandFamily) throws {
        let bench = try Bench.settled(family, isExclusive: false, .on(ours))
        // Almost ten seconds in which somebody switches it off every tenth.
        for _ in 0..<99 {
            try bench.meddle(.advertisingEnable(false, family))
            try bench.wait(100_000)
        }
        #expect(bench.sent.count == 10 * 4)
        try bench.wait(1_000_000)
        #expect(bench.shows(ours))
    }

    @Test(
        "Meddling in the middle of a retune: in the end the wish is on the air", arguments: families
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
                #expect(bench.turns.count { $0 == .advertised(.applied) } == 1)
                #expect(bench.controller.isHearing)
            }
        }
    }

    @Test("A scan that is taken back in the middle of a retune goes first", arguments: families)
    func scanFirst(family: CommandFamily) throws {
        let bench = try Bench.settled(family, isExclusive: false, .on(ours))
        bench.advertise(.on(.sample(2)))
        try bench.meddle(.scanEnable(false, family))
        try bench.wait(1)
        var expected = ControllerDialogue.advertise(.sample(2), family)
        expected.insert(contentsOf: ControllerDialogue.scan(family), at: 1)
        #expect(bench.sent == expected)
        #expect(bench.turns == [.deaf, .hearing, .advertised(.applied)])
    }

    @Test("A refusal after meddling goes all the way back", arguments: families)
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
