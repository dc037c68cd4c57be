import Beacons
import HCI
import TestVectors
import Testing
import VirtualRadio

@testable import Radio

@Suite struct RandomAdvertisingTests {
    @Test(
        "after random requests, refusals and interference, the state matches the air",
        arguments: 0..<20)
    func sequences(block: Int) throws {
        for seed in block * 50..<block * 50 + 50 { try Self.run(UInt64(seed)) }
    }

    private static func run(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let family = generator.oneIn(2) ? CommandFamily.legacy : .extended
        let isExclusive = generator.oneIn(2)
        let desired = self.desired(&generator)
        let bench = Bench(family, isExclusive: isExclusive, desired)
        var requests = 1
        var isMeddledWith = false
        var refusals: [(part: Bench.Part, status: HCIStatus, times: Int)] = []
        bench.refuse = { command in
            guard let index = refusals.firstIndex(where: { $0.part.matches(command, family) }),
                refusals[index].times > 0
            else { return nil }
            refusals[index].times -= 1
            return refusals[index].status
        }
        try bench.start()
        for _ in 0..<40 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<3:
                bench.advertise(self.desired(&generator))
                requests += 1
            case 3..<6: _ = try bench.step()
            case 6:
                refusals.append(
                    (
                        Bench.Part.allCases.randomElement(using: &generator) ?? .data,
                        [.unspecifiedError, .memoryCapacityExceeded, .invalidParameters]
                            .randomElement(using: &generator) ?? .controllerBusy,
                        Int.random(in: 1...3, using: &generator)
                    ))
            case 7 where !isExclusive:
                // Only what a strict controller can carry out at that moment succeeds.
                let foreign =
                    ControllerDialogue.advertise(.sample(99), family)
                    + ControllerDialogue.scan(family) + [.reset]
                let command = foreign.randomElement(using: &generator) ?? .readLocalVersion
                // The gateway can't distinguish two answers with one opcode: until the second answer,
                // its state may be wrong.
                while command.opcode == bench.next?.opcode { _ = try bench.step() }
                try bench.meddle(command)
                isMeddledWith = true
            case 8: try bench.wait(Int64.random(in: 1...3_000_000, using: &generator))
            default: try bench.settle()
            }
            // The state matches the air at any moment.
            if let claim = bench.state.advertising {
                #expect(bench.onAir.count == 1, "seed \(seed)")
                #expect(bench.onAir.first?.data == claim.beacon.advertisingData, "seed \(seed)")
            }
            let answers = bench.notices.count { if case .advertised = $0 { true } else { false } }
            #expect(answers <= requests, "seed \(seed)")
        }
        refusals = []
        try bench.settle()
        try bench.wait(130_000_000)
        #expect(bench.controller.isScanning, "seed \(seed)")
        #expect(bench.controller.deadline == nil, "seed \(seed)")
        if bench.state.advertising != nil {
            #expect(bench.shows(bench.state.advertising), "seed \(seed)")
        } else if !isMeddledWith {
            // Others may switch on what we have switched off.
            #expect(bench.onAir.isEmpty, "seed \(seed)")
        }
        // Without refusals, the last request is in force.
        bench.forget()
        try bench.tune(.on(.sample(7)))
        #expect(bench.shows(.sample(7)), "seed \(seed)")
        #expect(bench.notices.outcomes == [.advertised(.applied)], "seed \(seed)")
        try bench.tune(.off)
        #expect(bench.shows(nil), "seed \(seed)")
    }

    private static func desired(_ generator: inout SeededGenerator) -> DesiredAdvertising {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: .off
        case 1: .untouched
        default:
            .on(
                .sample(
                    UInt16.random(in: 1...3, using: &generator),
                    milliseconds: generator.oneIn(2) ? 100 : 20))
        }
    }
}
