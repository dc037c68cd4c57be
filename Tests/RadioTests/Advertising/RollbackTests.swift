import Beacons
import HCI
import TestVectors
import Testing
import VirtualRadio

@testable import Radio

@Suite struct RollbackTests {
    /// One command refused, once or for ever.
    struct Case: CustomTestStringConvertible, Sendable {
        let part: Bench.Part
        let isForEver: Bool
        let family: CommandFamily

        static let all = Bench.Part.allCases.flatMap { part in
            [false, true].flatMap { isForEver in
                [CommandFamily.legacy, .extended].map {
                    Case(part: part, isForEver: isForEver, family: $0)
                }
            }
        }

        var times: Int { isForEver ? .max : 1 }
        var testDescription: String { "\(part), \(isForEver ? "for ever" : "once"), \(family)" }

        func refusal(_ status: HCIStatus) -> Controller.Notice {
            .advertised(
                .refused(
                    AdvertisingRefusal(part.opcode(family), status, parametersOf: nil)))
        }
    }

    private static let status = HCIStatus.unspecifiedError
    private let good = Advertising.sample(1)
    private let bad = Advertising.sample(2, milliseconds: 200)

    @Test("a refused change keeps the former advertising", arguments: Case.all)
    func retune(test: Case) throws {
        let bench = try Bench.settled(test.family, .on(good))
        bench.refuse(test.part, with: Self.status, times: test.times)
        try bench.tune(.on(bad))
        let forward = ControllerDialogue.advertise(bad, test.family)
        let back = ControllerDialogue.advertise(good, test.family)
        // Only what the controller does not hold any more.
        var sent: [HCICommand]
        switch test.part {
        case .disable: sent = [forward[0]]
        case .parameters: sent = [forward[0], forward[1], back[3]]
        case .data: sent = [forward[0], forward[1], forward[2], back[1], back[3]]
        case .enable:
            sent = forward
            sent += back.dropFirst()
        }
        let isLost = test.part == .enable && test.isForEver
        #expect(bench.sent == sent)
        #expect(bench.notices == [test.refusal(Self.status)])
        #expect(bench.shows(isLost ? nil : good))
        #expect(bench.controller.isScanning)
        #expect((bench.controller.deadline == nil) == !isLost)
        guard isLost else { return }
        // And back it comes, when the controller has thought better of it.
        bench.forget()
        try bench.wait(70_000_000)
        #expect(bench.sent.count == 6 * 4, "after 1, 2, 4, 8, 16 and 32 seconds")
        #expect(bench.notices.isEmpty)
        bench.refuse = { _ in nil }
        try bench.wait(60_000_000)
        #expect(bench.notices == [.advertisingChanged])
        #expect(bench.shows(good))
        #expect(bench.controller.deadline == nil)
    }

    @Test(
        "a refused first request is repeated, a refused disable before it is ignored",
        arguments: Case.all)
    func first(test: Case) throws {
        let bench = Bench(test.family, .on(good))
        bench.refuse(test.part, with: Self.status, times: test.times)
        try bench.start()
        if test.part == .disable {
            #expect(bench.notices == [.scanStarted, .advertised(.applied)])
            #expect(bench.shows(good))
            return
        }
        #expect(bench.notices == [.scanStarted, test.refusal(Self.status)])
        #expect(bench.shows(nil))
        bench.forget()
        try bench.wait(999_999)
        #expect(bench.sent.isEmpty)
        try bench.wait(1)
        #expect(bench.notices == (test.isForEver ? [] : [.advertisingChanged]))
        #expect(bench.shows(test.isForEver ? nil : good))
        guard test.isForEver else { return }
        try bench.wait(600_000_000)
        // 1, 3, 7, 15, 31, 63 s, then once a minute.
        let attempts = bench.sent.count { $0 == .advertisingEnable(false, test.family) }
        #expect(attempts == 6 + 8)
        bench.refuse = { _ in nil }
        try bench.wait(60_000_000)
        #expect(bench.notices == [.advertisingChanged])
        #expect(bench.shows(good))
    }

    @Test(
        "a refused disable keeps the advertising, and is reported",
        arguments: [CommandFamily.legacy, .extended])
    func off(family: CommandFamily) throws {
        for desired in [DesiredAdvertising.off, .untouched] {
            let bench = try Bench.settled(family, .on(good))
            bench.refuse(.disable, with: .commandDisallowed, times: 1)
            try bench.tune(desired)
            #expect(bench.sent == [.advertisingEnable(false, family)])
            #expect(bench.notices.count == 1)
            #expect(bench.shows(good))
            #expect(bench.controller.deadline == nil)
            #expect(bench.controller.stopCommands().count == 2)
            try bench.tune(desired)
            #expect(bench.shows(nil))
        }
    }

    @Test(
        "a refused off is repeated",
        arguments: [CommandFamily.legacy, .extended])
    func offAtStart(family: CommandFamily) throws {
        let bench = Bench(family, isExclusive: false, .off, leftover: good)
        bench.refuse(.disable, with: Self.status, times: 2)
        try bench.start()
        #expect(bench.notices.count == 2 && bench.notices.last != .advertised(.applied))
        #expect(bench.onAir.count == 1)
        try bench.wait(3_000_000)
        #expect(bench.shows(nil))
        #expect(bench.notices.count == 2)
    }

    @Test("another request ends the repetition", arguments: [CommandFamily.legacy, .extended])
    func givesUp(family: CommandFamily) throws {
        let bench = Bench(family, .on(good))
        bench.refuse(.enable, with: Self.status, times: .max)
        try bench.start()
        try bench.tune(.off)
        bench.forget()
        try bench.wait(600_000_000)
        #expect(bench.sent.isEmpty)
        #expect(bench.notices.isEmpty)
    }

    @Test(
        "a second refused request keeps the first one for repetition",
        arguments: [CommandFamily.legacy, .extended])
    func bothRefused(family: CommandFamily) throws {
        let bench = Bench(family, .on(good))
        bench.refuse(.data, with: Self.status, times: 2)
        try bench.start()
        try bench.tune(.on(bad))
        #expect(
            bench.notices.count { if case .advertised(.refused) = $0 { true } else { false } } == 2)
        try bench.wait(1_000_000)
        #expect(bench.notices.last == .advertisingChanged)
        #expect(bench.shows(good))
    }

    @Test(
        "after untouched, a refused request leaves no advertising and is not repeated",
        arguments: [CommandFamily.legacy, .extended])
    func afterUntouched(family: CommandFamily) throws {
        let bench = try Bench.settled(family)
        bench.refuse(.enable, with: Self.status, times: .max)
        try bench.tune(.on(bad))
        bench.refuse = { _ in nil }
        bench.forget()
        try bench.wait(600_000_000)
        #expect(bench.sent.isEmpty && bench.notices.isEmpty)
        #expect(bench.shows(nil))
    }

    @Test(
        "a request during the rollback replaces it, and its refusal restores the same state",
        arguments: [CommandFamily.legacy, .extended])
    func overtakesTheWayBack(family: CommandFamily) throws {
        for answered in 4..<7 {
            for isRefused in [false, true] {
                let bench = try Bench.settled(family, .on(good))
                bench.refuse(.enable, with: Self.status, times: 1)
                bench.advertise(.on(bad))
                for _ in 0..<answered { _ = try bench.step() }
                bench.advertise(.on(.sample(3)))
                let data = ControllerDialogue.advertise(.sample(3), family)[2]
                if isRefused { bench.refuse = { $0 == data ? Self.status : nil } }
                try bench.settle()
                #expect(bench.shows(isRefused ? good : .sample(3)))
                #expect(bench.notices.count == (answered == 7 ? 2 : 1))
            }
        }
    }

    @Test("a removed advertising set is off already")
    func unknownSet() throws {
        let bench = try Bench.settled(.extended, .on(good))
        bench.refuse(.disable, with: .unknownAdvertisingIdentifier, times: 1)
        let disable = HCICommand.advertisingEnable(false, .extended)
        bench.advertise(.off)
        try bench.settle()
        #expect(bench.sent == [disable])
        #expect(bench.notices == [.advertised(.applied)])
    }
}
