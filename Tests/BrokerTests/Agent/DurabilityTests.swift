import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("stored batches")
    struct DurabilityTests {
        private func rememberingBroker() throws -> Broker {
            var options = Broker.Options()
            options.remembers = true
            return try Broker(options)
        }

        @Test("batches left at the end are delivered after the next start")
        func cleanStop() throws {
            let broker = try rememberingBroker()
            let witness = try Subscriber(to: "sightline/v1/#", on: broker, isRemembered: true)
            var options = Gateway.Options()
            options.windowMs = 100
            let first = try Gateway(port: broker.port, options)
            let session = try witness.waitForBatch { $0.seq == 5 }.session
            broker.kill()
            try first.waitForLog("<4>")
            #expect(first.staysAlive(for: 1))
            try first.end()
            let left = try #require(
                first.process.lines.last { $0.contains("stored for the next start") })
            try broker.restart()
            let second = try Gateway(port: broker.port, options, folder: first.folder)
            try second.waitForLog("unsent batches of an earlier session found")
            try witness.waitForBatch { $0.session != session && $0.seq == 5 }
            try witness.waitForNumbers(upTo: 15, of: session)
            #expect(second.staysAlive(for: 3))
            try second.end()
            // Nothing is missing; the last window ended early.
            let batches = try witness.batches(of: session)
            #expect(batches.map(\.seq) == Array(0..<batches.count), "\(left)")
            for (earlier, later) in zip(batches, batches.dropFirst()) {
                #expect(later.start == earlier.end)
            }
            let files = try FileManager.default.contentsOfDirectory(
                atPath: first.folder.file("state"))
            #expect(!files.contains { $0.hasPrefix("outbox") }, "the disk is for outages")
        }

        @Test("kill -9 loses only batches that were not stored yet", arguments: 0..<3)
        func killed(round: Int) throws {
            let broker = try rememberingBroker()
            let witness = try Subscriber(to: "sightline/v1/#", on: broker, isRemembered: true)
            var options = Gateway.Options()
            options.windowMs = 100
            options.outbox["spillAfterMs"] = 300
            let first = try Gateway(port: broker.port, options)
            let session = try witness.waitForBatch { $0.seq == 5 }.session
            broker.kill()
            #expect(first.staysAlive(for: 2 + Double(round) / 7))
            first.process.send(SIGKILL)
            _ = first.process.waitForExit()
            try broker.restart()
            let second = try Gateway(port: broker.port, options, folder: first.folder)
            // Twenty windows, except the last three and the group that was not committed yet.
            try witness.waitForNumbers(upTo: 15, of: session)
            try second.end()
            let batches = try witness.batches(of: session)
            #expect(batches.map(\.seq) == Array(0..<batches.count))
        }

        @Test("a corrupt file is renamed and logged, and the agent continues")
        func damaged() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/v1/#", on: broker)
            let folder = try TemporaryFolder()
            try FileManager.default.createDirectory(
                atPath: folder.file("state"), withIntermediateDirectories: true)
            try folder.write(
                String(repeating: "no database", count: 1000), to: "state/outbox.sqlite")
            let agent = try Gateway(port: broker.port, folder: folder)
            try agent.waitForLog("outbox file corrupt: renamed")
            try witness.waitForBatch { $0.seq == 2 }
            try agent.end()
            #expect(agent.complaints.count == 1)
            #expect(
                FileManager.default.fileExists(atPath: folder.file("state/outbox.sqlite.damaged")))
        }

        enum Disk: CaseIterable { case full, unwritable }

        @Test(
            "a failed disk is logged once, and memory keeps the batches", arguments: Disk.allCases
        )
        func broken(disk: Disk) throws {
            let broker = try rememberingBroker()
            let witness = try Subscriber(to: "sightline/v1/#", on: broker, isRemembered: true)
            let folder = try TemporaryFolder()
            var options = Gateway.Options()
            options.windowMs = 100
            options.outbox["spillAfterMs"] = 300
            options.isDiskFull = disk == .full
            // Even root cannot create a folder inside a file.
            if disk == .unwritable { try folder.write("a file", to: "state") }
            let agent = try Gateway(port: broker.port, options, folder: folder)
            try agent.waitForLog("state directory not usable")
            try witness.waitForBatch { $0.seq == 5 }
            broker.kill()
            try agent.waitForLog("the outbox cannot be written")
            #expect(agent.staysAlive(for: 1))
            try broker.restart()
            try witness.waitForBatch { $0.seq == 30 }
            try witness.waitForNumbers(upTo: 30)
            try agent.end()
            #expect(agent.complaints.count { $0.contains("outbox") } == 1)
        }

        @Test(
            "while the broker answers, the agent writes no file",
            .enabled(
                if: Tool.works("strace", ["-o", "/dev/null", "true"]),
                "strace is not installed, or may not trace here"))
        func quiet() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/v1/#", on: broker)
            let folder = try TemporaryFolder()
            // The agent would create the folder once; systemd creates it before.
            try FileManager.default.createDirectory(
                atPath: folder.file("state"), withIntermediateDirectories: true)
            let trace = folder.file("trace")
            var options = Gateway.Options()
            options.windowMs = 100
            let calls =
                "openat,open,creat,write,pwrite64,writev,fsync,fdatasync,sync_file_range,ftruncate,"
                + "rename,renameat2,unlink,unlinkat,mkdir,mkdirat"
            let agent = try Gateway(
                port: broker.port, options, folder: folder,
                under: ["strace", "-f", "-y", "-o", trace, "-e", "trace=" + calls])
            try witness.waitForBatch { $0.seq == 250 }
            let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
            // strace forwards no signals. Each of its lines begins with the agent's PID.
            let tracee = try #require(
                lines.first?.split(separator: " ").first.flatMap { pid_t($0) })
            kill(tracee, SIGTERM)
            #expect(agent.process.waitForExit() == 0)
            #expect(lines.contains { $0.contains("write(") && $0.contains("<socket:") })
            let written = lines.filter { line in
                // Devices, and the names of threads.
                if line.contains("/dev/") || line.contains("/proc/self/task/") { return false }
                // The attempt at the start has no name, and writes nothing.
                if line.contains("O_TMPFILE") { return false }
                if line.contains("open") {
                    return ["O_WRONLY", "O_RDWR", "O_CREAT"].contains { line.contains($0) }
                }
                let isWrite = ["write(", "pwrite64(", "writev("].contains { line.contains($0) }
                // strace shows a descriptor's file in angle brackets. Sockets and pipes have no slash.
                return !isWrite || (line.contains("</") && !line.contains("</proc/"))
            }.filter { !$0.contains("+++") && !$0.contains("---") && !$0.contains("resumed>") }
            #expect(written.isEmpty, "\(written.prefix(5))")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.file("state")).isEmpty)
        }
    }
}
