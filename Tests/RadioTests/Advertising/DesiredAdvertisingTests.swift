import Beacons
import HCI
import TestVectors
import Testing
import VirtualRadio

@testable import Radio

@Suite struct DesiredAdvertisingTests {
    private static let families = [CommandFamily.legacy, .extended]
    private let first = Advertising.sample(1)
    private let second = Advertising.sample(2, milliseconds: 20, txPowerDbm: -4)

    @Test(
        "the scan starts first, then the advertising, in the order that controllers accept",
        arguments: families)
    func opens(family: CommandFamily) throws {
        let bench = Bench(family, .on(first))
        try bench.start()
        let expected = ControllerDialogue.scan(family) + ControllerDialogue.advertise(first, family)
        #expect(Array(bench.sent.suffix(7)) == expected)
        #expect(bench.notices == [.scanStarted, .advertised(.applied)])
        #expect(bench.shows(first))
        #expect(bench.onAir.first?.sender == bench.controller.capabilities.ownAddress)
    }

    @Test("these bytes are on the air")
    func bytes() throws {
        let data = "1e 02 01 1a 1a ff 4c 00 02 15 e2c56db5dffb48d2b060d0f5a71096e0 002a 0002 c5"
        let legacy = Bench(.legacy, .on(second))
        try legacy.start()
        let legacyPackets = [
            "01 0a 20 01 00", "01 06 20 0f 2000 2000 03 00 00 000000000000 07 00",
            "01 08 20 20 \(data) 00", "01 0a 20 01 01",
        ]
        #expect(legacy.sent.suffix(4).map(\.packet) == legacyPackets.map { hex($0) })
        let extended = Bench(.extended, .on(second))
        try extended.start()
        let extendedPackets = [
            "01 39 20 06 00 01 ef 0000 00",
            "01 36 20 19 ef 1000 200000 200000 07 00 00 000000000000 00 fc 01 00 01 00 00",
            "01 37 20 22 ef 03 01 \(data)", "01 39 20 06 01 01 ef 0000 00",
        ]
        #expect(extended.sent.suffix(4).map(\.packet) == extendedPackets.map { hex($0) })
    }

    @Test(
        "a change sends the four advertising commands and no scan command",
        arguments: families)
    func retunes(family: CommandFamily) throws {
        for isExclusive in [true, false] {
            let bench = try Bench.settled(family, isExclusive: isExclusive, .on(first))
            try bench.tune(.on(second))
            #expect(bench.sent == ControllerDialogue.advertise(second, family))
            #expect(bench.notices == [.advertised(.applied)])
            #expect(bench.shows(second))
            #expect(bench.controller.isScanning)
            #expect(bench.controller.deadline == nil)
            #expect(bench.controller.interferences == 0)
        }
    }

    @Test(
        "each command waits for the last answer, and the state changes with the last one",
        arguments: families)
    func oneByOne(family: CommandFamily) throws {
        let dialogue = try ControllerDialogue.scanning(
            family, isExclusive: true, advertising: .on(first))
        #expect(dialogue.advertising.advertising == first)
        var actions = dialogue.advertise(.on(second))
        for command in ControllerDialogue.advertise(second, family) {
            #expect(actions == [.send(command)])
            actions = try dialogue.complete(
                command.opcode, ControllerDialogue.answer(to: command.opcode, family))
            if actions.commands.isEmpty == false {
                #expect(dialogue.advertising.advertising == nil)
            }
        }
        #expect(actions == [.advertised(.applied)])
        #expect(dialogue.advertising.advertising == second)
    }

    @Test("the reported power is the one that the controller selected")
    func power() throws {
        let extended = try Bench.settled(.extended, .on(.sample(1, txPowerDbm: 20)))
        #expect(extended.state.txPowerDbm == 8)
        try extended.tune(.on(.sample(1, txPowerDbm: -100)))
        #expect(extended.state.txPowerDbm == -20)
        try extended.tune(.on(.sample(1)))
        #expect(extended.state.txPowerDbm == 0)
        try extended.tune(.off)
        #expect(extended.state.txPowerDbm == nil)
        let legacy = try Bench.settled(.legacy, .on(.sample(1, txPowerDbm: 20)))
        #expect(legacy.shows(.sample(1, txPowerDbm: 20)))
        #expect(legacy.state.txPowerDbm == nil)
    }

    @Test(
        "a request for the current state sends nothing, and is answered immediately",
        arguments: families)
    func repeats(family: CommandFamily) throws {
        for desired in [DesiredAdvertising.on(first), .off, .untouched] {
            let bench = try Bench.settled(family, desired)
            for _ in 0..<3 {
                bench.advertise(desired)
                #expect(bench.notices == [.advertised(.applied)])
                bench.forget()
                try bench.wait(70_000_000)
                #expect(bench.sent.isEmpty && bench.notices.isEmpty)
            }
        }
    }

    @Test(
        "leftover advertising is stopped for off, and kept for untouched",
        arguments: families)
    func leftovers(family: CommandFamily) throws {
        let off = Bench(family, isExclusive: false, .off, leftover: first)
        try off.start()
        #expect(off.sent.last == .advertisingEnable(false, family))
        #expect(off.notices == [.scanStarted, .advertised(.applied)])
        #expect(off.shows(nil))

        let untouched = Bench(family, isExclusive: false, .untouched, leftover: first)
        try untouched.start()
        #expect(Array(untouched.sent.suffix(3)) == ControllerDialogue.scan(family))
        #expect(untouched.notices == [.scanStarted, .advertised(.applied)])
        #expect(untouched.onAir.count == 1)
        #expect(untouched.controller.stopCommands() == [.scanEnable(false, family)])

        let on = Bench(family, isExclusive: false, .on(second), leftover: first)
        try on.start()
        #expect(on.notices == [.scanStarted, .advertised(.applied)])
        #expect(on.shows(second))
    }

    @Test("off on an idle controller is one refused command, and succeeds")
    func offAtStart() throws {
        for family in Self.families {
            let bench = Bench(family, .off)
            if family == .legacy { bench.refuse(.disable, with: .commandDisallowed, times: .max) }
            try bench.start()
            #expect(bench.sent.last == .advertisingEnable(false, family))
            #expect(bench.notices == [.scanStarted, .advertised(.applied)])
            #expect(bench.controller.deadline == nil)
        }
    }

    @Test("off and untouched both stop the gateway's advertising", arguments: families)
    func off(family: CommandFamily) throws {
        for desired in [DesiredAdvertising.off, .untouched] {
            let bench = try Bench.settled(family, .on(first))
            try bench.tune(desired)
            #expect(bench.sent == [.advertisingEnable(false, family)])
            #expect(bench.notices == [.advertised(.applied)])
            #expect(bench.shows(nil))
            try bench.tune(.on(first))
            #expect(bench.shows(first))
        }
    }

    @Test("the newest request wins, and replaced requests have no result", arguments: families)
    func overtakes(family: CommandFamily) throws {
        // However far the one before has come.
        for answered in 0..<4 {
            let bench = try Bench.settled(family, .on(first))
            bench.advertise(.on(second))
            for _ in 0..<answered { _ = try bench.step() }
            bench.advertise(.off)
            bench.advertise(.on(.sample(3)))
            try bench.settle()
            #expect(bench.notices == [.advertised(.applied)])
            #expect(bench.shows(.sample(3)))
            #expect(Array(bench.sent.suffix(4)) == ControllerDialogue.advertise(.sample(3), family))
        }
    }

    @Test("a repeated request during its execution changes nothing", arguments: families)
    func insists(family: CommandFamily) throws {
        let bench = try Bench.settled(family, .on(first))
        bench.advertise(.on(second))
        _ = try bench.step()
        bench.advertise(.on(second))
        try bench.settle()
        #expect(bench.sent == ControllerDialogue.advertise(second, family))
        #expect(bench.notices == [.advertised(.applied)])
    }

    @Test("a request before the scan starts replaces the first one", arguments: families)
    func early(family: CommandFamily) throws {
        let bench = Bench(family, .on(first))
        bench.advertise(.on(second))
        #expect(bench.sent.isEmpty)
        try bench.start()
        #expect(bench.notices == [.scanStarted, .advertised(.applied)])
        let expected =
            ControllerDialogue.scan(family) + ControllerDialogue.advertise(second, family)
        #expect(Array(bench.sent.suffix(7)) == expected)
    }

    @Test(
        "the stop commands disable the gateway's advertising, unless it must stay",
        arguments: families)
    func stopCommands(family: CommandFamily) throws {
        let scanOff = HCICommand.scanEnable(false, family)
        let off = HCICommand.advertisingEnable(false, family)
        let bench = try Bench.settled(family, .on(first))
        #expect(bench.controller.stopCommands() == [scanOff, off])
        #expect(bench.controller.stopCommands(keepingAdvertising: true) == [scanOff])
        bench.advertise(.on(second))
        // Not known yet to be off.
        #expect(bench.controller.stopCommands() == [scanOff, off])
        _ = try bench.step()
        #expect(bench.controller.stopCommands() == [scanOff])
        for _ in 0..<2 { _ = try bench.step() }
        #expect(bench.sent.last == .advertisingEnable(true, family))
        // Nor what the enabling has come to.
        #expect(bench.controller.stopCommands() == [scanOff, off])
        try bench.settle()
        try bench.tune(.off)
        #expect(bench.controller.stopCommands() == [scanOff])
    }

    @Test("a refused enable leaves no advertising to stop", arguments: families)
    func farewellRefused(family: CommandFamily) throws {
        let bench = try Bench.settled(family, .off)
        bench.refuse(.enable, with: .unspecifiedError, times: 1)
        try bench.tune(.on(first))
        #expect(bench.sent == ControllerDialogue.advertise(first, family))
        #expect(bench.controller.stopCommands() == [.scanEnable(false, family)])
    }

    @Test("an advertising command without an answer is a fault", arguments: families)
    func timeout(family: CommandFamily) throws {
        let dialogue = try ControllerDialogue.scanning(family, isExclusive: true)
        let command = try #require(dialogue.advertise(.on(first)).commands.first)
        dialogue.wait(1_999_999)
        #expect(try dialogue.tick().isEmpty)
        dialogue.wait(1)
        #expect(throws: Controller.Fault.timedOut(command.opcode)) { try dialogue.tick() }
    }

    @Test("an advertising command without a credit waits, and times out")
    func credits() throws {
        let dialogue = try ControllerDialogue.scanning(.legacy, isExclusive: true)
        #expect(try dialogue.complete(.none, [], credits: 0).isEmpty)
        #expect(dialogue.advertise(.on(first)).isEmpty)
        #expect(dialogue.deadline == dialogue.now.advanced(byMicroseconds: 2_000_000))
        #expect(
            try dialogue.complete(.none, [], credits: 1)
                == [.send(.advertisingEnable(false, .legacy))])
    }
}
