import Beacon
import HCI
import TestVectors

@testable import Radio

/// A controller's side of the dialogue, spoken in bytes: what it says goes in, what it is sent comes out.
final class Dialogue {
    private var controller: Controller
    var now = Instant(microseconds: 10_000_000)

    init(isExclusive: Bool = true) { controller = Controller(isExclusive: isExclusive) }

    var deadline: Instant? { controller.deadline }
    var family: CommandFamily? { controller.family }
    var isHearing: Bool { controller.isHearing }
    var interferences: Int { controller.interferences }
    var capabilities: Capabilities { controller.capabilities }
    var farewell: [Command] { controller.farewell }

    func start() -> [Controller.Action] { controller.start(at: now) }

    func wait(_ microseconds: Int64) { now = now.advanced(byMicroseconds: microseconds) }

    func tick() throws(Controller.Fault) -> [Controller.Action] { try controller.tick(at: now) }

    /// An event packet from the controller; one that is no event at all says nothing.
    func event(_ packet: [UInt8]) throws(Controller.Fault) -> [Controller.Action] {
        let now = now
        return try packet.withBytes { bytes throws(Controller.Fault) in
            guard let event = try? Event(bytes) else { return [] }
            return try controller.on(event, bytes, at: now)
        }
    }

    func complete(
        _ opcode: Opcode, _ answer: [UInt8] = [0], credits: UInt8 = 1
    ) throws(Controller.Fault) -> [Controller.Action] {
        try event(
            [0x0e, UInt8(answer.count + 3), credits] + opcode.rawValue.littleEndianBytes + answer)
    }

    func status(
        _ opcode: Opcode, _ status: Status, credits: UInt8 = 1
    ) throws(Controller.Fault) -> [Controller.Action] {
        try event([0x0f, 4, status.rawValue, credits] + opcode.rawValue.littleEndianBytes)
    }

    /// What a controller answers when all is well.
    static func answer(to opcode: Opcode, _ family: CommandFamily) -> [UInt8] {
        switch opcode {
        case .readLocalSupportedCommands:
            var answer = [UInt8](repeating: 0, count: 65)
            if family == .extended { answer[38] = 0x60 }
            return answer
        case .leReadLocalSupportedFeatures:
            return [0, 0x3f, family == .extended ? 0x10 : 0, 0, 0, 0, 0, 0, 0]
        case .leReadSupportedStates: return [0, 0xff, 0xff, 0, 0, 0, 0, 0, 0]
        case .readLocalVersion: return [0, 9, 0, 0, 9, 0, 0, 0, 0]
        default: return [0]
        }
    }

    /// Answers everything until nothing is asked any more; what was sent, and the turns.
    func converse(
        _ family: CommandFamily, from actions: [Controller.Action]
    ) throws(Controller.Fault) -> [Controller.Action] {
        var all = actions
        var open = actions
        while !open.isEmpty {
            let action = open.removeFirst()
            guard case .send(let command) = action else { continue }
            let opcode = command.opcode
            let more = try complete(opcode, Self.answer(to: opcode, family))
            all += more
            open += more
        }
        return all
    }

    /// A dialogue that has come to hear.
    static func hearing(
        _ family: CommandFamily, isExclusive: Bool
    ) throws(Controller.Fault) -> Dialogue {
        let dialogue = Dialogue(isExclusive: isExclusive)
        _ = try dialogue.converse(family, from: dialogue.start())
        return dialogue
    }

    static func scan(_ family: CommandFamily) -> [Command] {
        [
            .scanEnable(false, family), .scanParameters(.continuous, family),
            .scanEnable(true, family),
        ]
    }
}

extension [Controller.Action] {
    /// The commands among them.
    var commands: [Command] {
        compactMap { if case .send(let command) = $0 { command } else { nil } }
    }
}
