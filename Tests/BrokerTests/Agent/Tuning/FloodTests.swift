import Foundation
import Posix
import Primitives
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("a flood of documents")
    struct FloodTests {
        private static let documents = 2000

        /// The agent's resident memory, in bytes (proc(5): statm, in pages).
        private func memory(of process: ChildProcess) throws -> Int {
            let text = try String(
                contentsOfFile: "/proc/\(process.processID)/statm", encoding: .utf8)
            let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            return try #require(pages) * sysconf(Int32(_SC_PAGESIZE))
        }

        @Test("the newest wins, the radio changes once a second, and sightings continue")
        func newestWins() throws {
            var options = Broker.Options()
            // The agent receives all documents.
            options.lines = ["max_queued_messages 0"]
            let scene = try TunedScene(options)
            try scene.publishAll()
            let agent = try scene.start {
                $0.windowMs = 100
                // On a busy machine, a stored batch would come after newer ones, or after the test.
                $0.outbox["spillAfterMs"] = 3_600_000
            }
            try scene.waitUntilTuned()
            let changes = scene.radio.air.count
            let before = try memory(of: agent.process)
            let begun = Instant.now
            let last = Self.documents + 1
            try scene.publisher.publish(
                all: (2...last).map { try ShownIdentity(number: $0).document(version: $0) },
                of: .gateway)
            let report = try scene.witness.waitForReport { $0.versions[2] == last }
            #expect(report.identity == ShownIdentity(number: last))
            #expect(report.status == "applied")
            try scene.radio.waitForAir { $0.last == .some(ShownIdentity(number: last)) }
            let seconds = Int((.now - begun).wholeSeconds)
            let retunes = scene.radio.air.dropFirst(changes).compactMap(\.self)
            #expect((1...seconds + 2).contains(retunes.count), "\(retunes) in \(seconds) s")
            #expect(retunes.map(\.minor) == retunes.map(\.minor).sorted())
            let growth = try memory(of: agent.process) - before
            #expect(growth < 4 << 20, "\(growth) bytes")
            try agent.end()
            #expect(agent.complaints.isEmpty, "\(agent.complaints)")
            let batches = try scene.witness.batches()
            #expect(batches.map(\.seq) == Array(0..<batches.count))
            for (earlier, later) in zip(batches, batches.dropFirst()) {
                #expect(later.start == earlier.end)
            }
            #expect(batches.allSatisfy { !$0.isDeaf } || batches.first?.isDeaf == true)
            #expect(batches.dropFirst().allSatisfy { !$0.isDeaf })
        }
    }
}
