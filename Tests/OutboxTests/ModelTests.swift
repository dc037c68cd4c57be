import Foundation
import TestSupport
import Testing

@testable import Outbox

@Suite("outbox against a model")
struct ModelTests {
    @Test(
        "every number is delivered once, merged, declared lost, or lost with the agent",
        arguments: 0..<60)
    func everyNumber(seed: Int) {
        let limits = OutboxLimits(
            maxBytes: 2000 * (1 + seed % 7), spillAfter: .seconds(seed % 3 == 0 ? 0 : 2),
            backlogPerSecond: 5, holdUnsynced: .seconds(seed % 4 == 0 ? 0 : 20))
        let disk = FakeDisk()
        if seed % 3 != 1 { disk.survives = { _ in true } }
        var world = World(seed: UInt64(seed), limits: limits, disk: disk) { (disk, disk) }
        if seed % 2 == 0 {
            var countdown = 7
            disk.failsCommit = {
                countdown -= 1
                if countdown < -3 { countdown = 11 + seed }
                return countdown < 0
            }
        }
        for _ in 0..<2000 { world.step() }
        disk.failsCommit = { false }
        world.settle()
        world.check()
    }

    @Test("the same with a real file, copied at each end of the agent", arguments: 0..<6)
    func realFile(seed: Int) throws {
        let folder = try TemporaryFolder()
        let limits = OutboxLimits(
            maxBytes: 16_384 * (1 + seed % 3), spillAfter: .seconds(seed % 3 == 0 ? 0 : 2),
            backlogPerSecond: 5)
        var generation = 0
        let path = { folder.file("outbox-\(generation)") }
        let file = { DatabaseFile(path: $0, maxBytes: limits.maxBytes) }
        var world = World(seed: UInt64(seed), limits: limits, disk: file(path())) {
            // A killed process leaves its files without a checkpoint.
            let old = path()
            generation += 1
            for (place, suffix) in [path(), path() + "-copy"].flatMap({ [($0, ""), ($0, "-wal")] })
            {
                try? FileManager.default.copyItem(atPath: old + suffix, toPath: place + suffix)
            }
            return (file(path()), file(path() + "-copy"))
        }
        for _ in 0..<600 { world.step() }
        world.settle()
        world.check()
        let isKept = limits.persistAfter == .zero
        #expect(!FileManager.default.fileExists(atPath: path()) || isKept)
    }
}
