import Beacons
import HCI
import TestVectors
import Testing
import VirtualRadio

@testable import Radio

@Suite struct RefusalTests {
    private static let families = [CommandFamily.legacy, .extended]
    private let short = Advertising.sample(1, milliseconds: 20)

    private func refusal(_ notices: [Controller.Notice]) throws -> AdvertisingRefusal {
        guard case .advertised(.refused(let refusal))? = notices.last else {
            throw AdvertisingRefusal(
                opcode: nil, status: nil, concernsInterval: false, sentence: "no refusal")
        }
        return refusal
    }

    @Test("a refused short interval of an old controller is reported as such", arguments: families)
    func interval(family: CommandFamily) throws {
        for status in [HCIStatus.invalidParameters, .unsupportedFeature] {
            let bench = try Bench.settled(family)
            bench.refuse(.parameters, with: status, times: 1)
            try bench.tune(.on(short))
            let refusal = try refusal(bench.notices)
            #expect(refusal.opcode == Bench.Part.parameters.opcode(family))
            #expect(refusal.status == status)
            #expect(refusal.concernsInterval)
            #expect(
                refusal.sentence
                    == "the controller refused \(Bench.Part.parameters.opcode(family)) with \(status): controllers before Bluetooth 5.0 allow no interval below 100 ms for non-connectable advertising"
            )
        }
    }

    @Test("other refusals do not concern the interval", arguments: families)
    func others(family: CommandFamily) throws {
        let cases: [(Bench.Part, HCIStatus, Advertising)] = [
            (.parameters, .invalidParameters, .sample(1)),
            (.parameters, .memoryCapacityExceeded, short), (.data, .invalidParameters, short),
            (.enable, .unsupportedFeature, short),
        ]
        for (part, status, advertising) in cases {
            let bench = try Bench.settled(family)
            bench.refuse(part, with: status, times: 1)
            try bench.tune(.on(advertising))
            let refusal = try refusal(bench.notices)
            #expect(!refusal.concernsInterval)
            #expect(
                refusal.sentence == "the controller refused \(part.opcode(family)) with \(status)")
        }
    }

    @Test(
        "a controller that can't scan and advertise simultaneously gets no command",
        arguments: families)
    func states(family: CommandFamily) throws {
        let bench = Bench(family, .on(short), simultaneous: false)
        try bench.start()
        #expect(bench.sent.last == .scanEnable(true, family))
        let refusal = try refusal(bench.notices)
        #expect(refusal == .cannotScanWhileAdvertising)
        #expect(refusal.opcode == nil && refusal.status == nil && !refusal.concernsInterval)
        #expect(refusal.sentence.contains("can't scan and advertise at the same time"))
        bench.forget()
        try bench.tune(.on(.sample(2)))
        #expect(bench.notices == [.advertised(.refused(.cannotScanWhileAdvertising))])
        try bench.wait(600_000_000)
        #expect(bench.sent.isEmpty && bench.notices.count == 1)
        #expect(bench.controller.isScanning && bench.controller.deadline == nil)
    }

    @Test("a controller that reports no capabilities is tried", arguments: families)
    func unknownStates(family: CommandFamily) throws {
        let bench = Bench(family, .on(short), simultaneous: false)
        bench.refuse = { $0.opcode == .leReadSupportedStates ? .unknownCommand : nil }
        try bench.start()
        let refusal = try refusal(bench.notices)
        #expect(refusal.opcode == Bench.Part.enable.opcode(family))
        #expect(refusal.status == .commandDisallowed)
        #expect(refusal.sentence.contains("another program drives it"))
        #expect(bench.shows(nil))
        #expect(bench.controller.isScanning)
    }

    @Test(
        "Command Disallowed stops the other family once, and repeats all commands",
        arguments: families)
    func silences(family: CommandFamily) throws {
        for part in [Bench.Part.parameters, .enable] {
            let dialogue = try ControllerDialogue.scanning(
                family, isExclusive: false, advertising: .on(.sample(1)))
            var isMixed = true
            var actions = dialogue.advertise(.on(short))
            var sent: [HCICommand] = []
            while let command = actions.commands.first {
                sent.append(command)
                let isOther = command == .scanEnable(false, family.other)
                if isOther { isMixed = false }
                let isRefused = isMixed && part.matches(command, family)
                // Some controllers don't know the other family, and most won't hear of it.
                let status: HCIStatus =
                    isOther ? .unknownCommand : isRefused ? .commandDisallowed : .success
                actions = try dialogue.complete(command.opcode, [status.rawValue])
            }
            let all = ControllerDialogue.advertise(short, family)
            let count = part == .parameters ? 2 : 4
            var expected = Array(all.prefix(count))
            expected += ControllerDialogue.silence(family.other)
            expected += all
            #expect(sent == expected)
            #expect(actions == [.advertised(.applied)])
            #expect(dialogue.isScanning)
        }
    }

    @Test(
        "a scan that stops with the other family's scan is restarted immediately",
        arguments: families)
    func rearms(family: CommandFamily) throws {
        let dialogue = try ControllerDialogue.scanning(family, isExclusive: false)
        var isFirst = true
        var all: [Controller.Action] = []
        var open = dialogue.advertise(.on(short))
        while !open.isEmpty {
            let action = open.removeFirst()
            all.append(action)
            guard case .send(let command) = action else { continue }
            let isRefused = isFirst && Bench.Part.parameters.matches(command, family)
            if isRefused { isFirst = false }
            open += try dialogue.complete(command.opcode, [isRefused ? 0x0c : 0])
        }
        var expected = ControllerDialogue.silence(family.other)
        expected += ControllerDialogue.scan(family)
        expected += ControllerDialogue.advertise(short, family)
        // On a shared controller, the further sets of an earlier run are switched off before.
        let before = family == .extended ? 4 : 2
        #expect(Array(all.commands.dropFirst(before)) == expected)
        #expect(all.scanChanges == [.scanStopped, .scanStarted])
        #expect(all.last == .advertised(.applied))
    }

    @Test(
        "a second Command Disallowed is a refusal; scan and advertising share one stop",
        arguments: families)
    func silencesOnce(family: CommandFamily) throws {
        let bench = try Bench.settled(family, isExclusive: false, .on(.sample(1)))
        bench.refuse(.parameters, with: .commandDisallowed, times: 2)
        try bench.tune(.on(short))
        let silencing = HCICommand.scanEnable(false, family.other)
        #expect(bench.sent.count { $0 == silencing } == 1)
        #expect(try refusal(bench.notices).sentence.contains("another program drives it"))
        #expect(bench.shows(.sample(1)))
        bench.forget()
        bench.refuse(.parameters, with: .commandDisallowed, times: 1)
        try bench.tune(.on(short))
        #expect(!bench.sent.contains(silencing))
        #expect(bench.shows(.sample(1)))
        #expect(bench.controller.isScanning)
    }
}
