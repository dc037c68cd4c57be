import Beacons
import HCI
import Testing

@testable import Radio

@Suite struct InterferenceTests {
    @Test(
        "Somebody else's scan command makes us deaf until we have taken the scan back",
        arguments: [CommandFamily.legacy, .extended])
    func takesBack(family: CommandFamily) throws {
        for opcode in Set(ControllerDialogue.scan(family).map(\.opcode)) {
            let dialogue = try ControllerDialogue.hearing(family, isExclusive: false)
            #expect(try dialogue.complete(opcode) == [.deaf])
            #expect(!dialogue.isHearing)
            #expect(dialogue.interferences == 1)
            #expect(dialogue.deadline == dialogue.now)
            let actions = try dialogue.converse(family, from: dialogue.tick())
            #expect(actions.commands == ControllerDialogue.scan(family))
            #expect(actions.last == .hearing)
            #expect(dialogue.deadline == nil)
        }
    }

    @Test(
        "After somebody else's reset the events are asked for anew, too",
        arguments: [CommandFamily.legacy, .extended])
    func reset(family: CommandFamily) throws {
        let dialogue = try ControllerDialogue.hearing(family, isExclusive: false)
        for _ in 0..<2 {
            #expect(try dialogue.complete(.reset) == [.deaf])
            let actions = try dialogue.converse(family, from: dialogue.tick())
            #expect(
                actions.commands == [.setEventMask, .leSetSharedEventMask]
                    + ControllerDialogue.scan(family))
            #expect(actions.last == .hearing)
            dialogue.wait(1_000_000)
        }
        // Once asked for, they keep coming.
        #expect(try dialogue.complete(ControllerDialogue.scan(family)[0].opcode) == [.deaf])
        let actions = try dialogue.converse(family, from: dialogue.tick())
        #expect(actions.commands == ControllerDialogue.scan(family))
    }

    @Test("A reset before we have come to scan is made up for when we do")
    func earlyReset() throws {
        let dialogue = ControllerDialogue(isExclusive: false)
        let questions = dialogue.start()
        #expect(try dialogue.complete(.reset).isEmpty)
        let actions = try dialogue.converse(.legacy, from: questions)
        #expect(
            actions.commands.suffix(5) == [.setEventMask, .leSetSharedEventMask]
                + ControllerDialogue.scan(.legacy))
        #expect(actions.turns == [.hearing])
    }

    @Test("The scan is taken back at most once a second")
    func noDuel() throws {
        let dialogue = try ControllerDialogue.hearing(.legacy, isExclusive: false)
        var rearms = 0
        // Ten seconds in which somebody else switches the scan off every tenth.
        for _ in 0..<100 {
            _ = try dialogue.complete(.leSetScanEnable)
            let actions = try dialogue.tick()
            if !actions.isEmpty { rearms += 1 }
            _ = try dialogue.converse(.legacy, from: actions)
            dialogue.wait(100_000)
        }
        #expect(rearms == 10)
    }

    @Test("While others meddle we are deaf, and say so once")
    func staysDeaf() throws {
        let dialogue = try ControllerDialogue.hearing(.legacy, isExclusive: false)
        #expect(try dialogue.complete(.leSetScanEnable) == [.deaf])
        #expect(try dialogue.complete(.leSetScanEnable).isEmpty)
        let off = try dialogue.tick()
        #expect(off == [.send(.scanEnable(false, .legacy))])
        let parameters = try dialogue.complete(.leSetScanEnable)
        #expect(parameters == [.send(.scanParameters(.continuous, .legacy))])
        // In the middle of it, once more: what was begun is brought to its end, but is not hearing.
        #expect(try dialogue.complete(.leSetScanEnable).isEmpty)
        #expect(try dialogue.complete(.leSetScanParameters) == [.send(.scanEnable(true, .legacy))])
        #expect(try dialogue.complete(.leSetScanEnable).isEmpty)
        #expect(!dialogue.isHearing)
        #expect(dialogue.interferences == 2)
        dialogue.wait(999_999)
        #expect(try dialogue.tick().isEmpty)
        dialogue.wait(1)
        let actions = try dialogue.converse(.legacy, from: dialogue.tick())
        #expect(actions.last == .hearing)
    }

    @Test("Taken back once more before it was on: only the last taking back makes us hear")
    func takesBackTwice() throws {
        let dialogue = try ControllerDialogue.hearing(.legacy, isExclusive: false)
        _ = try dialogue.complete(.leSetScanEnable)
        var actions = try dialogue.tick()
        for command in ControllerDialogue.scan(.legacy).dropLast() {
            #expect(actions == [.send(command)])
            actions = try dialogue.complete(command.opcode)
        }
        #expect(actions == [.send(.scanEnable(true, .legacy))])
        #expect(try dialogue.complete(.leSetScanParameters).isEmpty)
        dialogue.wait(1_000_000)
        #expect(try dialogue.tick().isEmpty)
        // The answer to the first; the second switches the scan off again before it switches it on.
        let answer = try dialogue.complete(.leSetScanEnable)
        #expect(answer == [.send(.scanEnable(false, .legacy))])
        #expect(!dialogue.isHearing)
        #expect(try dialogue.converse(.legacy, from: answer).turns == [.hearing])
    }

    @Test("Commands that don't touch our scan are none of our business")
    func others() throws {
        let dialogue = try ControllerDialogue.hearing(.legacy, isExclusive: false)
        for opcode in [
            Opcode.leSetAdvertisingEnable, .leSetExtendedScanEnable, .readLocalVersion, .none,
            Opcode(rawValue: 0xfc01),
        ] {
            #expect(try dialogue.complete(opcode).isEmpty)
        }
        #expect(dialogue.isHearing && dialogue.interferences == 0)
    }

    @Test("A scan command of somebody else's that was refused has changed nothing")
    func refused() throws {
        let dialogue = try ControllerDialogue.hearing(.legacy, isExclusive: false)
        #expect(try dialogue.complete(.leSetScanParameters, [0x0c]).isEmpty)
        #expect(try dialogue.status(.leSetScanEnable, .commandDisallowed).isEmpty)
        #expect(dialogue.isHearing && dialogue.interferences == 0)
    }

    @Test("On a controller of our own there is nobody else: a repeated answer is no interference")
    func exclusive() throws {
        let dialogue = try ControllerDialogue.hearing(.legacy, isExclusive: true)
        #expect(try dialogue.complete(.leSetScanEnable).isEmpty)
        #expect(dialogue.isHearing && dialogue.interferences == 0)
    }
}
