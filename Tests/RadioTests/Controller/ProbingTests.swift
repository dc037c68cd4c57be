import Beacons
import HCI
import Testing

@testable import Radio

@Suite struct ProbingTests {
    private static let families = [CommandFamily.legacy, .extended]

    @Test("A controller that answers the probe says so, and goes on hearing")
    func answers() throws {
        let dialogue = try ControllerDialogue.hearing(.legacy, isExclusive: true)
        #expect(dialogue.probe() == [.send(.readLocalVersion)])
        #expect(try dialogue.complete(.readLocalVersion) == [.answered])
        #expect(dialogue.isHearing && dialogue.deadline == nil)
    }

    @Test("One that refuses it answers, too")
    func refuses() throws {
        let dialogue = try ControllerDialogue.hearing(.legacy, isExclusive: true)
        _ = dialogue.probe()
        #expect(try dialogue.status(.readLocalVersion, .commandDisallowed) == [.answered])
    }

    @Test("An unanswered probe is no fault yet: the dialogue can go on")
    func unanswered() throws {
        let dialogue = try ControllerDialogue.hearing(.legacy, isExclusive: true)
        _ = dialogue.probe()
        dialogue.wait(1_999_999)
        #expect(try dialogue.tick().isEmpty)
        dialogue.wait(1)
        #expect(try dialogue.tick() == [.unanswered])
        #expect(try dialogue.complete(.readLocalVersion).isEmpty)
        let actions = try dialogue.converse(.legacy, from: dialogue.rescan())
        #expect(actions.commands == ControllerDialogue.scan(.legacy))
    }

    @Test("A scan that is switched off and on is deaf in between", arguments: families)
    func rescans(family: CommandFamily) throws {
        for isExclusive in [false, true] {
            let dialogue = try ControllerDialogue.hearing(family, isExclusive: isExclusive)
            let actions = try dialogue.converse(family, from: dialogue.rescan())
            #expect(actions.commands == ControllerDialogue.scan(family))
            #expect(actions.turns == [.deaf, .hearing])
            #expect(dialogue.interferences == 0)
        }
    }

    @Test("A rescan that is not answered either is a fault")
    func rescanFails() throws {
        let dialogue = try ControllerDialogue.hearing(.legacy, isExclusive: true)
        _ = dialogue.rescan()
        dialogue.wait(2_000_000)
        #expect(throws: Controller.Fault.timedOut(.leSetScanEnable)) { try dialogue.tick() }
    }

    @Test("Before the controller has said what it is there is nothing to rescan")
    func tooEarly() {
        let dialogue = ControllerDialogue()
        _ = dialogue.start()
        #expect(dialogue.rescan().isEmpty)
    }

    @Test(
        "After somebody else's reset all is set up again: masks, scan, advertising",
        arguments: families)
    func foreignReset(family: CommandFamily) throws {
        let ours = Advertising.sample(1)
        let dialogue = try ControllerDialogue.hearing(
            family, isExclusive: false, advertising: .on(ours))
        #expect(
            try Set(dialogue.complete(.reset).map { "\($0)" }) == ["advertisingChanged", "deaf"])
        #expect(!dialogue.isHearing)
        #expect(dialogue.deadline == dialogue.now)
        var actions = try dialogue.converse(family, from: dialogue.tick())
        #expect(
            actions.commands == [.setEventMask, .leSetSharedEventMask]
                + ControllerDialogue.scan(family))
        // The scan goes first; advertising is put back in its own time.
        actions = try dialogue.converse(family, from: dialogue.tick())
        #expect(actions.commands == ControllerDialogue.advertise(ours, family))
        #expect(dialogue.isHearing)
        #expect(dialogue.advertising.advertising == ours)
        // Once: the next interference is an ordinary one.
        dialogue.wait(1_000_000)
        _ = try dialogue.complete(ControllerDialogue.scan(family)[2].opcode)
        let again = try dialogue.converse(family, from: dialogue.tick())
        #expect(again.commands == ControllerDialogue.scan(family))
    }
}
