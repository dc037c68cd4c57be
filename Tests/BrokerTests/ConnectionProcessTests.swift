import Foundation
import Posix
import TestSupport
import Testing

extension BrokerTests {
    /// The process that holds a command's connection.
    @Suite("the process of a connection")
    struct ConnectionProcessTests {
        /// CONNACK of success, no properties (MQTT 5, section 3.2).
        private static let accepted: [UInt8] = [0x20, 0x03, 0x00, 0x00, 0x00]

        @Test("it can write no file, start no process, and gain no right, and is silent")
        func limits() throws {
            let packets = Guarded(0)
            let broker = try FakeBroker { _ in
                .serve(Self.accepted) { _ in
                    packets.withLock { $0 += 1 }
                    return []
                }
            }
            let command = try ChildProcess(
                try #require(BuiltProgram.find("sightline")),
                ["watch", "--broker", "mqtt://127.0.0.1:\(broker.port)"])
            let own = "/proc/\(command.processID)"
            let deadline = Deadline()
            while packets.withLock({ $0 }) == 0, !deadline.hasPassed { usleep(10_000) }
            let children = text("\(own)/task/\(command.processID)/children")
            let process = "/proc/" + children.filter { $0 != " " }
            let limits = text(process + "/limits")
            for name in ["Max core file size  ", "Max file size       ", "Max processes       "] {
                let line = limits.split(separator: "\n").first { $0.hasPrefix(name) }
                let values = line?.dropFirst(name.count).split(separator: " ").prefix(2)
                #expect(values.map(Array.init) == ["0", "0"], "\(name) \(values ?? [])")
            }
            let status = text(process + "/status")
            #expect(status.contains("NoNewPrivs:\t1"))
            #expect(status.contains("CapPrm:\t0000000000000000"))
            // Of a process without dumps, the kernel gives the files to root (proc(5)).
            var owner = stat()
            #expect(stat(process + "/limits", &owner) == 0 && owner.st_uid == 0)
            for number in 0...2 {
                let target = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: process + "/fd/\(number)")
                // Only root may see them.
                #expect(target == "/dev/null" || getuid() != 0)
            }
            command.send(SIGTERM)
        }

        /// A socket of ::1 whose connections the kernel accepts, and nobody answers.
        private static func silentListener(port: UInt16) throws -> CInt {
            let listener = socket(AF_INET6, CInt(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            let isBound = withUnsafeBytes(of: &address) {
                bind(
                    listener, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                    socklen_t($0.count))
            }
            try #require(isBound == 0 && listen(listener, 5) == 0)
            return listener
        }

        private func text(_ path: String) -> String {
            (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        }

        /// Whether tests can give a process a host table of its own.
        private static let canMount = (try? Tool.run("unshare", ["-m", "true"])) != nil

        @Test(
            "the key of another user serves for the second address of a broker",
            .enabled(if: getuid() == 0 && canMount, "needs root, for a host table of its own"),
            arguments: [false, true])
        func secondAddress(firstIsSilent: Bool) throws {
            let folder = try TemporaryFolder()
            let authority = try Certificates(in: folder)
            let client = try authority.client()
            var options = Broker.Options()
            options.tls = Broker.TLS(
                server: try authority.server(["DNS:two.example"]), clientCAFile: authority.caFile)
            // It listens on 127.0.0.1 only.
            let broker = try Broker(options, folder: folder)
            let first = firstIsSilent ? try Self.silentListener(port: broker.port) : nil
            defer { if let first { close(first) } }
            try folder.write("::1 two.example\n127.0.0.1 two.example\n", to: "hosts")
            try #require(chown(client.keyFile, 65534, 65534) == 0)
            try #require(chmod(client.keyFile, 0o600) == 0)
            let command = try ChildProcess(
                "unshare",
                [
                    "-m", "sh", "-c", "mount --bind \"$1\" /etc/hosts && shift && exec \"$@\"",
                    "sh",
                    folder.file("hosts"), try #require(BuiltProgram.find("sightline")), "status",
                    "--broker", "mqtts://two.example:\(broker.port)", "--ca-file", authority.caFile,
                    "--cert", client.certFile, "--key", client.keyFile,
                ])
            // The broker has no gateway.
            #expect(command.waitForExit() == 1)
            // While the first address is silent, the command reports that.
            #expect(command.lines.count <= (firstIsSilent ? 2 : 1), "\(command.lines)")
            #expect(command.lines.last?.contains("no gateway has published") == true)
        }
    }
}
