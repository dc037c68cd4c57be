import Foundation
import TestSupport
import Testing

@testable import Outbox

@Suite("Outbox against a model")
struct ModelTests {
    @Test(
        "every number is delivered once, merged, declared lost, or went with a crash",
        arguments: 0..<60)
    func everyNumber(seed: Int) {
        let limits = OutboxLimits(
            maxBytes: 2000 * (1 + seed % 7), spillAfterMs: seed % 3 == 0 ? 0 : 2000,
            backlogPerSecond: 5, holdUnsyncedMs: seed % 4 == 0 ? 0 : 20_000)
        let disk = FakeDisk()
        if seed % 3 != 1 { disk.survives = { _ in true } }
        var world = World(seed: UInt64(seed), limits: limits, disk: disk) { disk }
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
        world.check(seed: seed)
    }

    @Test("the same with a real file, as it was at its last commit", arguments: 0..<6)
    func realFile(seed: Int) throws {
        let folder = try TemporaryFolder()
        let limits = OutboxLimits(
            maxBytes: 16_384 * (1 + seed % 3), spillAfterMs: seed % 3 == 0 ? 0 : 2000,
            backlogPerSecond: 5)
        var generation = 0
        let path = { folder.file("outbox-\(generation)") }
        var world = World(
            seed: UInt64(seed), limits: limits,
            disk: DatabaseFile(path: path(), maxBytes: limits.maxBytes)
        ) {
            // Who is killed leaves the files as they are, and nobody checkpoints them.
            let old = path()
            generation += 1
            for suffix in ["", "-wal"] {
                try? FileManager.default.copyItem(atPath: old + suffix, toPath: path() + suffix)
            }
            return DatabaseFile(path: path(), maxBytes: limits.maxBytes)
        }
        for _ in 0..<600 { world.step() }
        world.settle()
        world.check(seed: seed)
        #expect(!FileManager.default.fileExists(atPath: path()) || limits.spillAfter == 0)
    }
}
