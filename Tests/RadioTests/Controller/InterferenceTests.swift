import Beacons
import HCI
import Testing

@testable import Radio

@Suite struct InterferenceTests {
    @Test(
        "another program's scan command stops the scan until the gateway restores it",
        arguments: [CommandFamily.legacy, .extended])
    func takesBack(family: CommandFamily) throws {
        for opcode in Set(ControllerDialogue.scan(family).map(\.opcode)) {
            let dialogue = try ControllerDialogue.scanning(family, isExclusive: false)
            #expect(try dialogue.complete(opcode) == [.scanStopped])
            #expect(!dialogue.isScanning)
            #expect(dialogue.interferences == 1)
            dialogue.wait(199_999)
            #expect(try dialogue.tick().isEmpty)
            dialogue.wait(1)
            #expect(dialogue.deadline == dialogue.now)
            let actions = try dialogue.converse(family, from: dialogue.tick())
            #expect(actions.commands == ControllerDialogue.scan(family))
            #expect(actions.last == .scanStarted)
            #expect(dialogue.deadline == nil)
        }
    }

    @Test(
        "another program's reset restores the event masks, too",
        arguments: [CommandFamily.legacy, .extended])
    func reset(family: CommandFamily) throws {
        let dialogue = try ControllerDialogue.scanning(family, isExclusive: false)
        for _ in 0..<2 {
            #expect(try dialogue.complete(.reset) == [.scanStopped])
            dialogue.wait(200_000)
            let actions = try dialogue.converse(family, from: dialogue.tick())
            #expect(
                actions.commands == [.setEventMask, .leSetSharedEventMask(version: 9)]
                    + ControllerDialogue.scan(family))
            #expect(actions.last == .scanStarted)
            dialogue.wait(1_000_000)
        }
        // Once asked for, they keep coming.
        #expect(try dialogue.complete(ControllerDialogue.scan(family)[0].opcode) == [.scanStopped])
        dialogue.wait(200_000)
        let actions = try dialogue.converse(family, from: dialogue.tick())
        #expect(actions.commands == ControllerDialogue.scan(family))
    }

    @Test("a controller that refuses the event masks is not at fault")
    func refusedMasks() throws {
        let dialogue = try ControllerDialogue.scanning(.legacy, isExclusive: false)
        _ = try dialogue.foreign(.reset)
        dialogue.wait(200_000)
        #expect(try dialogue.tick() == [.send(.setEventMask)])
        _ = try dialogue.complete(.setEventMask, [0x12])
        let actions = try dialogue.complete(.leSetEventMask, [0x12])
        #expect(try dialogue.converse(.legacy, from: actions).last == .scanStarted)
    }

    @Test("a reset before the first scan is corrected when the scan starts")
    func earlyReset() throws {
        let dialogue = ControllerDialogue(isExclusive: false)
        let questions = dialogue.start()
        #expect(try dialogue.complete(.reset).isEmpty)
        let actions = try dialogue.converse(.legacy, from: questions)
        #expect(
            actions.commands.suffix(5) == [.setEventMask, .leSetSharedEventMask(version: 9)]
                + ControllerDialogue.scan(.legacy))
        #expect(actions.scanChanges == [.scanStarted])
    }

    @Test("the scan is restored at most once a second")
    func noDuel() throws {
        let dialogue = try ControllerDialogue.scanning(.legacy, isExclusive: false)
        var rearms = 0
        // For ten seconds, another program switches the scan off every tenth of a second.
        for _ in 0..<100 {
            _ = try dialogue.complete(.leSetScanEnable)
            let actions = try dialogue.tick()
            if !actions.isEmpty { rearms += 1 }
            _ = try dialogue.converse(.legacy, from: actions)
            dialogue.wait(100_000)
        }
        // Each attempt waits for a second of interference after the last one.
        #expect(rearms == 9)
    }

    @Test("continued interference reports one stop of the scan")
    func staysDeaf() throws {
        let dialogue = try ControllerDialogue.scanning(.legacy, isExclusive: false)
        #expect(try dialogue.complete(.leSetScanEnable) == [.scanStopped])
        #expect(try dialogue.complete(.leSetScanEnable).isEmpty)
        dialogue.wait(200_000)
        let off = try dialogue.tick()
        #expect(off == [.send(.scanEnable(false, .legacy))])
        let parameters = try dialogue.complete(.leSetScanEnable)
        #expect(parameters == [.send(.scanParameters(.continuous, .legacy))])
        // A second interference during the restore: the gateway's last command proves the scan.
        #expect(try dialogue.complete(.leSetScanEnable).isEmpty)
        #expect(try dialogue.complete(.leSetScanParameters) == [.send(.scanEnable(true, .legacy))])
        #expect(try dialogue.complete(.leSetScanEnable) == [.scanStarted])
        #expect(dialogue.interferences == 2)
        dialogue.wait(1_000_000)
        #expect(try dialogue.tick().isEmpty)
    }

    @Test("after interference with a restore, only the last restore starts the scan")
    func takesBackTwice() throws {
        let dialogue = try ControllerDialogue.scanning(.legacy, isExclusive: false)
        _ = try dialogue.complete(.leSetScanEnable)
        dialogue.wait(200_000)
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
        #expect(try dialogue.complete(.leSetScanEnable).isEmpty)
        let answer = try dialogue.tick()
        #expect(answer == [.send(.scanEnable(false, .legacy))])
        #expect(!dialogue.isScanning)
        #expect(try dialogue.converse(.legacy, from: answer).scanChanges == [.scanStarted])
    }

    @Test("commands that do not affect the scan are ignored")
    func others() throws {
        let dialogue = try ControllerDialogue.scanning(.legacy, isExclusive: false)
        for opcode in [
            Opcode.leSetAdvertisingEnable, .leSetExtendedScanEnable, .readLocalVersion, .none,
            Opcode(rawValue: 0xfc01),
        ] {
            #expect(try dialogue.complete(opcode).isEmpty)
        }
        #expect(dialogue.isScanning && dialogue.interferences == 0)
    }

    @Test("a refused scan command of another program is ignored")
    func refused() throws {
        let dialogue = try ControllerDialogue.scanning(.legacy, isExclusive: false)
        #expect(try dialogue.complete(.leSetScanParameters, [0x0c]).isEmpty)
        #expect(try dialogue.status(.leSetScanEnable, .commandDisallowed).isEmpty)
        #expect(dialogue.isScanning && dialogue.interferences == 0)
    }

    @Test("an exclusive controller ignores repeated answers")
    func exclusive() throws {
        let dialogue = try ControllerDialogue.scanning(.legacy, isExclusive: true)
        #expect(try dialogue.complete(.leSetScanEnable).isEmpty)
        #expect(dialogue.isScanning && dialogue.interferences == 0)
    }
}
