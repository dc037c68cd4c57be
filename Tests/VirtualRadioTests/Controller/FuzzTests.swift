import HCI
import Primitives
import Testing

@testable import VirtualRadio

@Suite struct FuzzTests {
    @Test(
        "each random command is answered by complete events",
        arguments: [CommandFamily.legacy, .extended]) func randomCommands(
            _ kind: CommandFamily
        ) throws
    {
        let seed = UInt64.random(in: 0...UInt64.max)
        var dice = SplitMix64(seed: seed)
        var talk = Conversation(kind)
        let known = KnownCommand.table.values.sorted { $0.opcode < $1.opcode }
        let station = try scenario("queue")
        var world = World(station)
        for step in 0..<20_000 {
            let command = try #require(known.randomElement(using: &dice))
            let count =
                Int.random(in: 0..<20, using: &dice) == 0
                ? Int.random(in: 0...255, using: &dice)
                : Int.random(
                    in: command.count
                        .lowerBound...min(command.count.upperBound, command.count.lowerBound + 40),
                    using: &dice)
            let parameters = (0..<count).map { _ in
                // Small numbers are valid more often.
                UInt8.random(in: 0...(Bool.random(using: &dice) ? 4 : 255), using: &dice)
            }
            let opcode = Opcode(rawValue: command.opcode)
            talk.time =
                talk.time + .microseconds(Int64.random(in: 0...20_000, using: &dice))
            let output = talk.send(HCICommand(opcode, parameters).packet)
            let answered = output.count >= 7 && [0x0e, 0x0f].contains(output[1])
            let afterTimeout = output.count > 7 && output[1] == 0x3e
            #expect(
                answered || afterTimeout, "seed \(seed), step \(step), \(opcode) \(hex(parameters))"
            )
            let heard = world.advertisements(
                heardBy: station.gateways[0], from: talk.time, to: talk.time + .milliseconds(1))
            talk.controller.hear(heard)
            _ = try reports(in: talk.controller.takeOutput())
        }
    }

    @Test("random bytes cause no crash", arguments: [CommandFamily.legacy, .extended])
    func randomBytes(_ kind: CommandFamily) {
        let seed = UInt64.random(in: 0...UInt64.max)
        var dice = SplitMix64(seed: seed)
        for _ in 0..<200 {
            var talk = Conversation(kind)
            for _ in 0..<50 {
                let bytes = (0..<Int.random(in: 0...100, using: &dice)).map { _ in
                    UInt8.random(in: 0...(Bool.random(using: &dice) ? 8 : 255), using: &dice)
                }
                _ = talk.send(bytes)
            }
            // A reset restores the controller. An unfinished packet has at most this length.
            let padding = [UInt8](repeating: 0, count: 4200)
            _ = talk.send(padding)
            _ = talk.send(padding)
            #expect(
                talk.send(HCICommand.reset.packet).suffix(7) == hex("04 0e 04 01 03 0c 00")[...],
                "seed \(seed)")
        }
    }
}
