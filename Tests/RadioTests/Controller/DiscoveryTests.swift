import HCI
import TestVectors
import Testing
import VirtualRadio

@testable import Radio

/// Discoveries of BlueZ beside the gateway. The commands are those of Linux 6.1 (net/bluetooth/hci_sync.c), as its HCI
/// monitor shows them.
@Suite struct DiscoveryTests {
    private static let families = [CommandFamily.legacy, .extended]

    /// The kernel's commands that start a discovery: active, 11.25 ms of 11.25 ms, filtered.
    private static func start(_ family: CommandFamily) -> [HCICommand] {
        let off = HCICommand.scanEnable(false, family)
        let address = HCICommand(.leSetRandomAddress, [0x35, 0x54, 0x54, 0x6c, 0x86, 0x37])
        return switch family {
        case .legacy:
            [
                off, address,
                HCICommand(.leSetScanParameters, [1, 0x12, 0, 0x12, 0, 1, 0]),
                HCICommand(.leSetScanEnable, [1, 1]),
            ]
        case .extended:
            [
                off, address,
                HCICommand(.leSetExtendedScanParameters, [1, 0, 1, 1, 0x12, 0, 0x12, 0]),
                HCICommand(.leSetExtendedScanEnable, [1, 1, 0, 0, 0, 0]),
            ]
        }
    }

    /// The kernel's passive scan for devices that it waits for: the accept list, 30 ms of 60 ms.
    private static let passive = [
        HCICommand.scanEnable(false, .legacy),
        HCICommand(.leSetScanParameters, [0, 0x60, 0, 0x30, 0, 0, 1]),
        HCICommand(.leSetScanEnable, [1, 1]),
    ]

    @Test("a discovery only loses its filter, and hears from then on", arguments: families)
    func discovery(family: CommandFamily) throws {
        let dialogue = try ControllerDialogue.scanning(family, isExclusive: false)
        var notices: [Controller.Action] = []
        for command in Self.start(family) {
            notices += try dialogue.foreign(command)
            dialogue.wait(50_000)
            notices += try dialogue.tick()
        }
        #expect(notices == [.scanStopped])
        dialogue.wait(150_000)
        let actions = try dialogue.converse(family, from: dialogue.tick())
        #expect(actions == [.send(.scanEnable(true, family)), .scanStarted])
        #expect(dialogue.interferences == 1 && dialogue.deadline == nil)
    }

    @Test("after a discovery, the gateway's own parameters return", arguments: families)
    func discoveryEnds(family: CommandFamily) throws {
        let dialogue = try ControllerDialogue.scanning(family, isExclusive: false)
        for command in Self.start(family) { _ = try dialogue.foreign(command) }
        dialogue.wait(200_000)
        _ = try dialogue.converse(family, from: dialogue.tick())
        dialogue.wait(10_000_000)
        #expect(try dialogue.foreign(.scanEnable(false, family)) == [.scanStopped])
        dialogue.wait(200_000)
        let actions = try dialogue.converse(family, from: dialogue.tick())
        #expect(actions.commands == Array(ControllerDialogue.scan(family).dropFirst()))
        #expect(actions.last == .scanStarted)
    }

    @Test("a scan that leaves reports out is replaced")
    func passive() throws {
        let dialogue = try ControllerDialogue.scanning(.legacy, isExclusive: false)
        for command in Self.passive { _ = try dialogue.foreign(command) }
        dialogue.wait(200_000)
        let actions = try dialogue.converse(.legacy, from: dialogue.tick())
        #expect(actions.commands == ControllerDialogue.scan(.legacy))
        #expect(actions.last == .scanStarted)
    }

    @Test("at the end, another program's scan goes on as it was set")
    func stops() throws {
        let dialogue = try ControllerDialogue.scanning(.legacy, isExclusive: false)
        for command in Self.passive { _ = try dialogue.foreign(command) }
        #expect(dialogue.stopCommands() == [Self.passive[2]])
        dialogue.wait(200_000)
        _ = try dialogue.converse(.legacy, from: dialogue.tick())
        #expect(dialogue.stopCommands() == Self.passive)
        for command in Self.start(.legacy) { _ = try dialogue.foreign(command) }
        dialogue.wait(1_000_000)
        _ = try dialogue.converse(.legacy, from: dialogue.tick())
        // A discovery needs no other parameters, and no Scan Disable that cancels its timer.
        #expect(dialogue.stopCommands() == [Self.start(.legacy)[3]])
        _ = try dialogue.foreign(.scanEnable(false, .legacy))
        #expect(dialogue.stopCommands() == [.scanEnable(false, .legacy)])
    }

    @Test("a controller that refuses a second enable gets all commands")
    func secondEnable() throws {
        let dialogue = try ControllerDialogue.scanning(.legacy, isExclusive: false)
        for command in Self.start(.legacy) { _ = try dialogue.foreign(command) }
        // The gateway's first refusal is not due to the other family: another program scans.
        dialogue.wait(200_000)
        #expect(try dialogue.tick() == [.send(.scanEnable(true, .legacy))])
        var actions = try dialogue.complete(.leSetScanEnable, [0x0c])
        #expect(actions.commands.isEmpty)
        dialogue.wait(200_000)
        actions = try dialogue.converse(.legacy, from: dialogue.tick())
        #expect(actions.commands == ControllerDialogue.scan(.legacy))
        #expect(actions.last == .scanStarted)
    }

    @Test("another program's command in between ends the gateway's sequence")
    func abandons() throws {
        let dialogue = try ControllerDialogue.scanning(.legacy, isExclusive: false)
        _ = try dialogue.foreign(.scanEnable(false, .legacy))
        dialogue.wait(200_000)
        #expect(try dialogue.tick() == [.send(.scanEnable(true, .legacy))])
        // The other program's command with the same number passes before the answers to both.
        let enable = HCICommand(.leSetScanEnable, [1, 1])
        dialogue.overhear(enable)
        #expect(try dialogue.complete(.leSetScanEnable).isEmpty)
        #expect(!dialogue.isScanning)
        #expect(try dialogue.complete(.leSetScanEnable) == [.scanStarted])
    }

    @Test("Command Disallowed on a shared controller is never a fault, and retries grow rare")
    func disallowed() throws {
        let dialogue = ControllerDialogue(isExclusive: false)
        var open = dialogue.start()
        var all: [Controller.Action] = []
        var attempts: [Int64] = []
        for _ in 0..<1000 {
            while !open.isEmpty {
                all.append(open[0])
                guard case .send(let command) = open.removeFirst() else { continue }
                let isRefused = command.opcode == .leSetScanParameters
                if isRefused { attempts.append(dialogue.now.microseconds / 1000) }
                open += try dialogue.complete(
                    command.opcode,
                    isRefused ? [0x0c] : ControllerDialogue.answer(to: command.opcode, .legacy))
            }
            dialogue.wait(100_000)
            open = try dialogue.tick()
        }
        // The first two come at once, with the other family's stop between them.
        let pauses = zip(attempts.dropFirst(), attempts).map { $0 - $1 }
        #expect(pauses == [0, 200, 400, 800, 1600, 3200, 6400, 12800, 25600])
        #expect(all.count { $0 == .notify(.scanDisallowed(.leSetScanParameters)) } == 9)
        #expect(dialogue.interferences == 0)
    }

    @Test(
        "whatever the order of commands, the gateway hears only a complete scan, and in the end one",
        arguments: UInt64(0)..<200)
    func anyOrder(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let family = Bool.random(using: &generator) ? CommandFamily.legacy : .extended
        let bench = try Bench.settled(family, isExclusive: false)
        for _ in 0..<20 {
            let others = Self.start(family) + [.scanEnable(false, family)]
            for command in generator.oneIn(4) ? others : others.dropLast() {
                try bench.meddle(command)
                #expect(!bench.controller.isScanning || bench.radio.isScanComplete)
                for _ in 0..<Int.random(in: 0...2, using: &generator) { _ = try bench.step() }
                #expect(!bench.controller.isScanning || bench.radio.isScanComplete)
                try bench.wait(Int64.random(in: 0...120_000, using: &generator), settles: false)
            }
            try bench.wait(Int64.random(in: 0...1_500_000, using: &generator))
        }
        try bench.settle()
        try bench.wait(5_000_000)
        #expect(bench.controller.isScanning && bench.radio.isScanComplete)
    }
}
