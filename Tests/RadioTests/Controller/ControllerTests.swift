import Beacons
import HCI
import TestVectors
import Testing

@testable import Radio

@Suite struct ControllerTests {
    private static let questions: [HCICommand] = [
        .readLocalVersion, .readLocalSupportedCommands, .leReadLocalSupportedFeatures,
        .readDeviceAddress, .leReadSupportedStates,
    ]

    @Test(
        "an exclusive controller is reset, initialised, queried, and set to scan with its family",
        arguments: [CommandFamily.legacy, .extended])
    func exclusive(family: CommandFamily) throws {
        let dialogue = ControllerDialogue()
        let actions = try dialogue.converse(family, from: dialogue.start())
        #expect(
            actions.commands
                == [.reset, .setEventMask, .readLocalVersion, .leSetEventMask]
                + Self.questions.dropFirst() + ControllerDialogue.scan(family))
        #expect(actions.scanChanges == [.scanStarted])
        #expect(dialogue.isScanning)
        #expect(dialogue.family == family)
        #expect(dialogue.deadline == nil)
        #expect(dialogue.stopCommands() == [.scanEnable(false, family)])
    }

    @Test(
        "a shared controller is queried and set to scan, and never reset",
        arguments: [CommandFamily.legacy, .extended])
    func shared(family: CommandFamily) throws {
        let dialogue = ControllerDialogue(isExclusive: false)
        let actions = try dialogue.converse(family, from: dialogue.start())
        #expect(actions.commands == Self.questions + ControllerDialogue.scan(family))
        #expect(actions.scanChanges == [.scanStarted])
    }

    @Test("one command at a time is outstanding")
    func oneAtATime() throws {
        let dialogue = ControllerDialogue()
        #expect(dialogue.start() == [.send(.reset)])
        #expect(try dialogue.complete(.reset) == [.send(.setEventMask)])
        // Late, foreign or repeated answers bring nothing.
        #expect(try dialogue.complete(.reset).isEmpty)
        #expect(try dialogue.complete(.leSetScanEnable, [0x0c]).isEmpty)
        #expect(try dialogue.complete(.none).isEmpty)
        #expect(try dialogue.status(.readLocalVersion, .unknownCommand).isEmpty)
        #expect(try dialogue.complete(.setEventMask) == [.send(.readLocalVersion)])
    }

    @Test("there are no stop commands before the setup")
    func stopCommands() {
        #expect(ControllerDialogue().stopCommands().isEmpty)
    }

    @Test("without a credit no command is sent, and the next credit sends it")
    func credits() throws {
        let dialogue = ControllerDialogue()
        _ = dialogue.start()
        #expect(try dialogue.complete(.reset, credits: 0).isEmpty)
        #expect(try dialogue.complete(.none, [], credits: 0).isEmpty)
        #expect(try dialogue.complete(.none, [], credits: 1) == [.send(.setEventMask)])
        #expect(try dialogue.complete(.setEventMask, credits: 0).isEmpty)
        #expect(try dialogue.status(.none, .success, credits: 4) == [.send(.readLocalVersion)])
    }

    @Test("a controller without credits times out")
    func noCredits() throws {
        let dialogue = ControllerDialogue()
        _ = dialogue.start()
        #expect(try dialogue.complete(.reset, credits: 0).isEmpty)
        dialogue.wait(1_999_999)
        #expect(try dialogue.complete(.none, [], credits: 0).isEmpty)
        #expect(try dialogue.tick().isEmpty)
        dialogue.wait(1)
        #expect(dialogue.deadline == dialogue.now)
        #expect(throws: Controller.Fault.timedOut(.setEventMask)) { try dialogue.tick() }
    }

    @Test("an answer times out after two seconds, and no microsecond earlier")
    func timeout() throws {
        let dialogue = ControllerDialogue()
        _ = dialogue.start()
        #expect(dialogue.deadline == dialogue.now.advanced(byMicroseconds: 2_000_000))
        dialogue.wait(1_999_999)
        #expect(try dialogue.tick().isEmpty)
        dialogue.wait(1)
        #expect(throws: Controller.Fault.timedOut(.reset)) { try dialogue.tick() }
    }

    @Test("Command Status accepts or refuses a command")
    func commandStatus() throws {
        let dialogue = ControllerDialogue()
        _ = dialogue.start()
        #expect(try dialogue.status(.reset, .success).isEmpty)
        #expect(try dialogue.complete(.reset) == [.send(.setEventMask)])
        #expect(throws: Controller.Fault.refused(.setEventMask, .unknownCommand)) {
            try dialogue.status(.setEventMask, .unknownCommand)
        }
    }

    @Test("a refusal is a fault, except for optional commands")
    func refusals() throws {
        for refused in [Opcode.reset, .setEventMask, .readLocalSupportedCommands] {
            #expect(throws: Controller.Fault.refused(refused, .invalidParameters)) {
                try Self.converse(.legacy) { $0.opcode == refused ? .invalidParameters : nil }
            }
        }
        let actions = try Self.converse(.legacy) { command in
            [.leReadSupportedStates, .readDeviceAddress].contains(command.opcode)
                || command == .scanEnable(false, .legacy) ? .unknownCommand : nil
        }
        #expect(actions.scanChanges == [.scanStarted])
    }

    @Test(
        "an old controller gets the LE event mask that its version knows", arguments: UInt8(6)..<14)
    func leEventMask(version: UInt8) throws {
        let isOld = version < 9
        let actions = try Self.converse(isOld ? .legacy : .extended, version: version) { command in
            // Version 4.0 to 4.2 define up to eleven bits, version 5.0 twenty.
            command.opcode == .leSetEventMask && isOld && command.parameters[1] > 0x07
                ? .invalidParameters : nil
        }
        #expect(
            actions.commands.filter { $0.opcode == .leSetEventMask }
                == [isOld ? .leSetFirstEventMask : .leSetEventMask])
        #expect(actions.scanChanges == [.scanStarted])
    }

    @Test("a controller that refuses the LE event mask hears legacy reports")
    func refusedEventMask() throws {
        let actions = try Self.converse(.extended) { command in
            command == .leSetEventMask ? .invalidParameters : nil
        }
        #expect(
            actions.commands.filter { $0.opcode == .leSetEventMask }
                == [.leSetEventMask, .leSetFirstEventMask])
        #expect(actions.commands.suffix(3) == ControllerDialogue.scan(.legacy)[...])
        #expect(actions.scanChanges == [.scanStarted])
    }

    @Test(
        "Command Disallowed stops the other family once, and repeats the scan",
        arguments: [CommandFamily.legacy, .extended])
    func recovers(family: CommandFamily) throws {
        var isMixed = true
        let actions = try Self.converse(family) { command in
            if command == .scanEnable(false, family.other) { isMixed = false }
            return command == .scanParameters(.continuous, family) && isMixed
                ? .commandDisallowed : nil
        }
        #expect(
            actions.commands.suffix(7) == [
                .scanEnable(false, family), .scanParameters(.continuous, family),
                .scanEnable(false, family.other), .advertisingEnable(false, family.other),
            ] + ControllerDialogue.scan(family))
        #expect(actions.scanChanges == [.scanStarted])
    }

    @Test("a second Command Disallowed means that another program uses the controller")
    func recoversOnce() {
        var count = 0
        #expect(throws: Controller.Fault.refused(.leSetScanParameters, .commandDisallowed)) {
            try Self.converse(.legacy) { command in
                guard command.opcode == .leSetScanParameters else { return nil }
                count += 1
                return .commandDisallowed
            }
        }
        #expect(count == 2)
    }

    @Test("refusals of the other family's stop commands are ignored")
    func recoveryRefused() throws {
        var isFirst = true
        let actions = try Self.converse(.legacy) { command in
            if command.opcode == .leSetExtendedScanEnable
                || command.opcode == .leSetExtendedAdvertisingEnable
            {
                return .unknownCommand
            }
            guard command.opcode == .leSetScanParameters, isFirst else { return nil }
            isFirst = false
            return .commandDisallowed
        }
        #expect(actions.scanChanges == [.scanStarted])
    }

    @Test("an answer without a status byte is a success")
    func shortAnswers() throws {
        let dialogue = ControllerDialogue()
        var open = dialogue.start()
        var all = open
        while let action = open.popLast() {
            if case .send(let command) = action {
                let more = try dialogue.complete(command.opcode, [])
                all += more
                open += more
            }
        }
        #expect(all.scanChanges == [.scanStarted])
        #expect(dialogue.family == .legacy)
    }

    @Test("a hardware error is a fault")
    func hardwareError() throws {
        let dialogue = try ControllerDialogue.scanning(.legacy, isExclusive: true)
        #expect(throws: Controller.Fault.hardwareError(0x2a)) {
            try dialogue.event([0x10, 0x01, 0x2a])
        }
    }

    @Test("arbitrary bytes at any time yield actions or a fault", arguments: UInt64(0)..<200)
    func anyBytes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let dialogue = ControllerDialogue(
            isExclusive: Bool.random(using: &generator), advertising: .on(.sample(1)))
        var outstanding = dialogue.start().commands.last
        for _ in 0..<200 {
            var packet = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            if packet.count > 4 {
                packet[0] = [0x0e, 0x0f, 0x10, 0x3e].randomElement(using: &generator) ?? 0
                packet[1] = UInt8.random(in: 0...14, using: &generator)
                if let outstanding, generator.oneIn(2) {
                    packet.replaceSubrange(
                        3..<5, with: outstanding.opcode.rawValue.littleEndianBytes)
                }
            }
            dialogue.wait(Int64.random(in: 0...100_000, using: &generator))
            guard let actions = try? dialogue.event(packet) + dialogue.tick() else { return }
            outstanding = actions.commands.last ?? outstanding
        }
    }

    /// A whole dialogue on a controller of our own, with refusals.
    private static func converse(
        _ family: CommandFamily, version: UInt8 = 9, _ refuse: (HCICommand) -> HCIStatus?
    ) throws -> [Controller.Action] {
        let dialogue = ControllerDialogue()
        var all = dialogue.start()
        var open = all
        while !open.isEmpty {
            guard case .send(let command) = open.removeFirst() else { continue }
            var answer =
                refuse(command).map { [$0.rawValue] }
                ?? ControllerDialogue.answer(to: command.opcode, family)
            if command == .readLocalVersion { answer[1] = version }
            let more = try dialogue.complete(command.opcode, answer)
            all += more
            open += more
        }
        return all
    }
}
