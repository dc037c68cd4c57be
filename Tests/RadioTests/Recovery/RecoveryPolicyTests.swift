import Primitives
import TestVectors
import Testing

@testable import Radio

@Suite struct RecoveryPolicyTests {
    @Test("a radio with reports is never probed")
    func hears() {
        var bench = PolicyBench()
        for _ in 0..<10_000 {
            bench.heard.report = bench.now
            #expect(bench.tick(after: 29) == nil)
        }
        #expect(bench.policy.counts == RecoveryPolicy.Counts())
        #expect(!bench.policy.isRecovering && !bench.policy.isSilent)
    }

    @Test("the silence of a stall is no evidence against the radio")
    func resumes() {
        var bench = PolicyBench(expectsReferences: true)
        bench.heard = .init(report: bench.now, references: bench.now)
        bench.wait(300)
        #expect(bench.policy.on(.resumed, at: bench.now) == nil)
        #expect(bench.tick() == nil)
        #expect(bench.tick(after: 29) == nil)
        #expect(bench.tick(after: 1) == .probe)
    }

    @Test("an empty room doubles the time between probes each time")
    func emptyRoom() {
        var bench = PolicyBench()
        let start = bench.now
        var asked: [Int64] = []
        while bench.now < start.advanced(byMicroseconds: 86_400_000_000) {
            #expect(bench.next() == .probe)
            asked.append(bench.now.microseconds(since: start) / 1_000_000)
            #expect(bench.policy.on(.probeAnswered, at: bench.now) == nil)
            #expect(!bench.policy.isRecovering && !bench.policy.isSilent)
        }
        #expect(asked.prefix(7) == [30, 90, 210, 450, 930, 1890, 3810])
        #expect(asked.dropFirst(8).first == 11_010)
        #expect(asked.count < 35)
        // A report resets the time between probes.
        bench.heard.report = bench.now
        #expect(bench.tick(after: 29) == nil)
        #expect(bench.tick(after: 1) == .probe)
        _ = bench.policy.on(.probeAnswered, at: bench.now)
        #expect(bench.tick(after: 59) == nil)
        #expect(bench.tick(after: 1) == .probe)
    }

    static let radios: [(Bool, [RecoveryStep])] = [
        (true, [.rescan, .powerCycle]), (false, [.rescan, .reset]),
    ]

    @Test(
        "a controller that does not answer gets one step after the other, then a rest",
        arguments: radios)
    func climbs(isShared: Bool, steps: [RecoveryStep]) throws {
        var bench = PolicyBench(isShared: isShared)
        #expect(bench.next() == .probe)
        var action: RecoveryPolicy.Action? = bench.policy.on(.probeTimedOut, at: bench.now)
        for step in steps {
            #expect(action == .apply(step))
            #expect(bench.policy.isRecovering && bench.policy.isSilent)
            bench.wait(2)
            action = bench.policy.on(.failed(isRecoverable: true), at: bench.now)
        }
        let rest = try #require(bench.rest(action))
        #expect((10...20).contains(rest))
        #expect(bench.policy.counts.gaveUp == 1)
        #expect(bench.next() == nil)
        // A failed opening after the rest starts again with the steps for a closed radio.
        let again = isShared ? steps : [.reset]
        for step in again {
            #expect(bench.policy.on(.failed(isRecoverable: true), at: bench.now) == .apply(step))
        }
        let longer = try #require(
            bench.rest(bench.policy.on(.failed(isRecoverable: true), at: bench.now)))
        #expect((10...30).contains(longer))
        #expect(bench.policy.on(.scanStarted, at: bench.now) == .recovered(by: nil))
        #expect(!bench.policy.isRecovering && !bench.policy.isSilent)
    }

    @Test("a recovery reports the step that helped", arguments: radios)
    func helps(isShared: Bool, steps: [RecoveryStep]) {
        for helper in steps {
            var bench = PolicyBench(isShared: isShared)
            _ = bench.next()
            var action: RecoveryPolicy.Action? = bench.policy.on(.probeTimedOut, at: bench.now)
            while action != .apply(helper) {
                action = bench.policy.on(.failed(isRecoverable: true), at: bench.now)
            }
            #expect(bench.policy.on(.scanStarted, at: bench.now) == .recovered(by: helper))
            #expect(!bench.policy.isRecovering && !bench.policy.isSilent)
        }
    }

    @Test("a fault soon after a step leads to the next step, a later fault to the first")
    func proves() {
        for (seconds, step) in [(29, RecoveryStep.powerCycle), (31, .rescan)] {
            var bench = PolicyBench()
            #expect(bench.policy.on(.failed(isRecoverable: true), at: bench.now) == .apply(.rescan))
            #expect(bench.policy.on(.scanStarted, at: bench.now) == .recovered(by: .rescan))
            bench.heard.report = bench.now.advanced(byMicroseconds: Int64(seconds) * 1_000_000)
            #expect(bench.tick(after: Int64(seconds)) == nil)
            #expect(bench.policy.on(.failed(isRecoverable: true), at: bench.now) == .apply(step))
        }
    }

    @Test("a failure that no step can help leads to no step")
    func incurable() {
        var bench = PolicyBench()
        for _ in 0..<100 {
            #expect(bench.policy.on(.failed(isRecoverable: false), at: bench.now) == nil)
            #expect(bench.next() == nil)
        }
        #expect(bench.policy.on(.scanStarted, at: bench.now) == nil)
        #expect(bench.policy.counts == RecoveryPolicy.Counts())
    }

    @Test("total silence with missing references makes windows deaf")
    func allSilent() {
        var bench = PolicyBench(isShared: false, expectsReferences: true)
        #expect(bench.tick(after: 29) == nil)
        #expect(bench.tick(after: 1) == .probe)
        #expect(!bench.policy.isSilent)
        #expect(bench.policy.on(.probeAnswered, at: bench.now) == .apply(.rescan))
        #expect(bench.policy.isSilent)
        #expect(bench.policy.on(.scanStarted, at: bench.now) == nil)
        #expect(bench.policy.isRecovering && bench.policy.isSilent)
        #expect(bench.next() == .apply(.reset))
        bench.wait(1)
        #expect(bench.policy.on(.scanStarted, at: bench.now) == nil)
        bench.wait(1)
        _ = bench.policy.on(.reportReceived, at: bench.now)
        bench.heard = RecoveryPolicy.Heard(report: bench.now, references: bench.now)
        #expect(bench.tick() == .recovered(by: .reset))
        #expect(!bench.policy.isRecovering)
    }

    @Test("a single missing reference is a later fault, and windows are not deaf")
    func oneSilent() throws {
        var bench = PolicyBench(expectsReferences: true)
        bench.heard.references = bench.now
        for _ in 0..<59 {
            bench.heard.report = bench.now
            #expect(bench.tick(after: 1) == nil)
        }
        bench.heard.report = bench.now
        #expect(bench.tick(after: 1) == .probe)
        #expect(bench.policy.on(.probeAnswered, at: bench.now) == .apply(.rescan))
        #expect(bench.policy.isRecovering && !bench.policy.isSilent)
        _ = bench.policy.on(.scanStarted, at: bench.now)
        bench.heard.report = bench.now
        #expect(bench.tick(after: 14) == nil)
        #expect(bench.tick(after: 1) == .apply(.powerCycle))
        _ = bench.policy.on(.scanStarted, at: bench.now)
        let last = bench.tick(after: 15)
        let rest = try #require(bench.rest(last))
        #expect(bench.tick(after: rest - 1) == nil)
        #expect(bench.next() == .probe)
        // The fault persists during the probe after the rest.
        #expect(bench.policy.isRecovering)
        #expect(bench.policy.on(.probeAnswered, at: bench.now) == .apply(.rescan))
        bench.heard.references = bench.now.advanced(byMicroseconds: 1)
        #expect(bench.tick(after: 1) == .recovered(by: .rescan))
    }

    @Test(
        "without references nothing is missing, whatever the number of steps so far"
    )
    func noReferences() {
        for steps in 0..<4 {
            var bench = PolicyBench(expectsReferences: true)
            bench.heard.report = bench.now
            bench.heard.references = bench.now
            #expect(bench.next() == .probe)
            if steps > 0 {
                #expect(bench.policy.on(.probeAnswered, at: bench.now) == .apply(.rescan))
            }
            if steps > 1 {
                _ = bench.policy.on(.scanStarted, at: bench.now)
                #expect(bench.next() == .apply(.powerCycle))
            }
            if steps > 2 {
                _ = bench.policy.on(.scanStarted, at: bench.now)
                #expect(bench.rest(bench.next()) != nil)
            }
            #expect(bench.policy.isRecovering)
            let action = bench.policy.on(.referencesChanged(isEmpty: true), at: bench.now)
            #expect(action == (steps == 0 ? nil : .recovered(by: nil)))
            _ = bench.policy.on(.probeAnswered, at: bench.now)
            #expect(!bench.policy.isRecovering && !bench.policy.isSilent)
            bench.heard.report = bench.now
            #expect(bench.tick(after: 29) == nil)
        }
    }

    @Test(
        "no order of events leaves a deadline in the present",
        arguments: [UInt64(7)])
    func neverBusy(seed: UInt64) {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        for round in 0..<200 {
            var bench = PolicyBench(
                isShared: round % 2 == 0, expectsReferences: round % 3 == 0, seed: seed)
            for _ in 0..<200 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0: bench.wait(Int64.random(in: 0...100, using: &random))
                case 1: bench.heard.report = bench.now
                case 2: bench.heard.references = bench.now
                case 3: _ = bench.policy.on(.scanStarted, at: bench.now)
                case 4: _ = bench.policy.on(.probeAnswered, at: bench.now)
                case 5: _ = bench.policy.on(.probeTimedOut, at: bench.now)
                case 6:
                    let isRecoverable = Bool.random(using: &random)
                    _ = bench.policy.on(.failed(isRecoverable: isRecoverable), at: bench.now)
                case 7:
                    let isEmpty = Bool.random(using: &random)
                    _ = bench.policy.on(.referencesChanged(isEmpty: isEmpty), at: bench.now)
                default: _ = bench.next()
                }
                _ = bench.tick()
                _ = bench.tick()
                _ = bench.tick()
                let due = bench.policy.deadline(bench.heard)
                #expect(due.map { $0 > bench.now } ?? true)
            }
        }
    }
}
