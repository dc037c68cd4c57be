import Beacons
import HCI
import Testing

@testable import Radio

@Suite struct ProbingTests {
    private static let families = [CommandFamily.legacy, .extended]

    @Test("a controller that answers the probe is reported, and goes on scanning")
    func answers() throws {
        let dialogue = try ControllerDialogue.scanning(.legacy, isExclusive: true)
        #expect(dialogue.probe() == [.send(.readLocalVersion)])
        #expect(try dialogue.complete(.readLocalVersion) == [.probeAnswered])
        #expect(dialogue.isScanning && dialogue.deadline == nil)
    }

    @Test("a controller that refuses the probe has answered")
    func refuses() throws {
        let dialogue = try ControllerDialogue.scanning(.legacy, isExclusive: true)
        _ = dialogue.probe()
        #expect(try dialogue.status(.readLocalVersion, .commandDisallowed) == [.probeAnswered])
    }

    @Test("a probe without an answer is reported, and the state machine goes on")
    func unanswered() throws {
        let dialogue = try ControllerDialogue.scanning(.legacy, isExclusive: true)
        _ = dialogue.probe()
        dialogue.wait(1_999_999)
        #expect(try dialogue.tick().isEmpty)
        dialogue.wait(1)
        #expect(try dialogue.tick() == [.probeTimedOut])
        #expect(try dialogue.complete(.readLocalVersion).isEmpty)
        let actions = try dialogue.converse(.legacy, from: dialogue.rescan())
        #expect(actions.commands == ControllerDialogue.scan(.legacy))
    }

    @Test("a rescan stops and starts the scan", arguments: families)
    func rescans(family: CommandFamily) throws {
        for isExclusive in [false, true] {
            let dialogue = try ControllerDialogue.scanning(family, isExclusive: isExclusive)
            let actions = try dialogue.converse(family, from: dialogue.rescan())
            #expect(actions.commands == ControllerDialogue.scan(family))
            #expect(actions.scanChanges == [.scanStopped, .scanStarted])
            #expect(dialogue.interferences == 0)
        }
    }

    @Test("a rescan without an answer is a fault")
    func rescanFails() throws {
        let dialogue = try ControllerDialogue.scanning(.legacy, isExclusive: true)
        _ = dialogue.rescan()
        dialogue.wait(2_000_000)
        #expect(throws: Controller.Fault.timedOut(.leSetScanEnable)) { try dialogue.tick() }
    }

    @Test("a rescan before the setup does nothing")
    func tooEarly() {
        let dialogue = ControllerDialogue()
        _ = dialogue.start()
        #expect(dialogue.rescan().isEmpty)
    }

    @Test(
        "another program's reset restores event masks, scan and advertising",
        arguments: families)
    func foreignReset(family: CommandFamily) throws {
        let ours = Advertising.sample(1)
        let dialogue = try ControllerDialogue.scanning(
            family, isExclusive: false, advertising: .on(ours))
        let notices = try dialogue.complete(.reset)
        #expect(notices.count == 2)
        #expect(notices.contains(.advertisingChanged) && notices.contains(.scanStopped))
        #expect(!dialogue.isScanning)
        #expect(dialogue.deadline == dialogue.now)
        // The scan waits for the other program; advertising is put back in its own time.
        var actions = try dialogue.converse(family, from: dialogue.tick())
        #expect(actions.commands == ControllerDialogue.advertise(ours, family))
        dialogue.wait(200_000)
        actions = try dialogue.converse(family, from: dialogue.tick())
        #expect(
            actions.commands == [.setEventMask, .leSetSharedEventMask(version: 9)]
                + ControllerDialogue.scan(family))
        #expect(dialogue.isScanning)
        #expect(dialogue.advertising.advertising == ours)
        // Once: the next interference is an ordinary one.
        dialogue.wait(1_000_000)
        _ = try dialogue.complete(ControllerDialogue.scan(family)[2].opcode)
        dialogue.wait(200_000)
        let again = try dialogue.converse(family, from: dialogue.tick())
        #expect(again.commands == ControllerDialogue.scan(family))
    }
}
