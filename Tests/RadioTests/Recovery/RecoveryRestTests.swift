import Primitives
import Testing

@testable import Radio

@Suite struct RecoveryRestTests {
    @Test("a reference that returns during the rest ends it")
    func rests() {
        var bench = PolicyBench(isShared: false, expectsReferences: true)
        _ = bench.tick(after: 30)
        _ = bench.policy.on(.probeAnswered, at: bench.now)
        _ = bench.policy.on(.scanStarted, at: bench.now)
        #expect(bench.tick(after: 15) == .apply(.reset))
        _ = bench.policy.on(.scanStarted, at: bench.now)
        #expect(bench.rest(bench.tick(after: 15)) != nil)
        bench.wait(1)
        bench.heard.references = bench.now
        #expect(bench.tick() == .recovered(by: nil))
    }

    @Test("a step without permission is tried once, and replaced by the rest")
    func forgoes() {
        var bench = PolicyBench()
        #expect(bench.policy.on(.failed(isRecoverable: true), at: bench.now) == .apply(.rescan))
        #expect(bench.policy.on(.failed(isRecoverable: true), at: bench.now) == .apply(.powerCycle))
        #expect(bench.rest(bench.policy.on(.stepNotPermitted(.powerCycle), at: bench.now)) != nil)
        #expect(bench.policy.counts.powerCycles == 0)
        #expect(bench.policy.on(.failed(isRecoverable: true), at: bench.now) == .apply(.rescan))
        #expect(bench.rest(bench.policy.on(.failed(isRecoverable: true), at: bench.now)) != nil)
        #expect(bench.policy.counts.gaveUp == 2)
    }

    @Test("rests grow to half an hour, differ between gateways, and restart after a recovery")
    func grows() throws {
        var longest: [Int64] = []
        var firsts: Set<Int64> = []
        for seed in 0..<50 as Range<UInt64> {
            var bench = PolicyBench(isShared: false, seed: seed)
            var rests: [Int64] = []
            for _ in 0..<20 {
                _ = bench.policy.on(.failed(isRecoverable: true), at: bench.now)
                let action = bench.policy.on(.failed(isRecoverable: true), at: bench.now)
                guard case .rest(let until) = action else { continue }
                rests.append(until.microseconds(since: bench.now))
                bench.now = until
            }
            #expect(rests.count == 20)
            #expect(rests.allSatisfy { (10_000_000...1_800_000_000).contains($0) })
            firsts.insert(try #require(rests.first))
            longest.append(try #require(rests.max()))
            _ = bench.policy.on(.scanStarted, at: bench.now)
            bench.heard.report = bench.now
            #expect(bench.tick(after: 30) == .probe)
            _ = bench.policy.on(.probeAnswered, at: bench.now)
            _ = bench.policy.on(.failed(isRecoverable: true), at: bench.now)
            let rest = try #require(
                bench.rest(bench.policy.on(.failed(isRecoverable: true), at: bench.now)))
            #expect((10...20).contains(rest))
        }
        #expect(firsts.count > 45)
        #expect(longest.allSatisfy { $0 > 900_000_000 })
    }

    @Test("a radio that works between its faults never has long rests")
    func flapping() throws {
        var bench = PolicyBench(isShared: false)
        var rests = 0
        for _ in 0..<40 {
            bench.wait(20)
            guard
                let rest = bench.rest(bench.policy.on(.failed(isRecoverable: true), at: bench.now))
            else {
                #expect(bench.policy.on(.scanStarted, at: bench.now) == .recovered(by: .reset))
                continue
            }
            #expect((10...20).contains(rest))
            rests += 1
            bench.wait(rest)
            #expect(bench.policy.on(.scanStarted, at: bench.now) == .recovered(by: nil))
        }
        #expect(rests == 20)
    }
}
