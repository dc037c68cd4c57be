import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("under a service manager")
    struct ServiceTests {
        /// An agent under a service manager.
        private struct Service {
            let socket: NotifySocket
            let agent: Gateway

            init(
                port: UInt16, _ options: Gateway.Options = Gateway.Options(),
                watchdogMs: Int = 30_000
            ) throws {
                let folder = try TemporaryFolder()
                let place = folder.file("notify")
                socket = try NotifySocket(at: place)
                agent = try Gateway(
                    port: port, options, folder: folder,
                    under: [
                        "env", "NOTIFY_SOCKET=\(place)", "WATCHDOG_USEC=\(watchdogMs * 1000)",
                    ])
            }
        }

        @Test("it notifies ready, its status and its end")
        func life() throws {
            let broker = try Broker()
            let service = try Service(port: broker.port)
            _ = try service.socket.wait(for: "READY=1")
            _ = try service.socket.wait(for: "STATUS=hearing; connected to 127.0.0.1:")
            broker.stop()
            _ = try service.socket.wait(for: "STATUS=hearing; waiting for 127.0.0.1:")
            try service.agent.end()
            _ = try service.socket.wait(for: "STOPPING=1")
        }

        @Test("without a radio and a broker it notifies ready, and the status has the causes")
        func nothingThere() throws {
            var options = Gateway.Options()
            options.radio = "h4:unix:/nowhere/controller"
            let service = try Service(port: try Ports.free(), options)
            _ = try service.socket.wait(for: "READY=1")
            let status = try service.socket.wait(for: "STATUS=deaf (h4:unix:/nowhere/controller: ")
            #expect(status.contains("waiting for 127.0.0.1:"))
            #expect(service.agent.staysAlive(for: 0.2))
        }

        @Test("a reload between two uplinks is notified as any other, and done once")
        func reloadBetweenUplinks() throws {
            let broker = try Broker()
            let service = try Service(port: broker.port)
            _ = try service.socket.wait(for: "READY=1")
            let agent = service.agent.process
            let id = agent.processID
            let children = try String(
                contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
            let uplink = try #require(children.split(separator: " ").first.flatMap { pid_t($0) })
            kill(uplink, SIGKILL)
            try service.agent.waitForLog("uplink process ended")
            agent.send(SIGHUP)
            _ = try service.socket.wait(for: "RELOADING=1")
            _ = try service.socket.wait(for: "READY=1")
            try service.agent.end()
            let reloads = agent.lines.filter { $0.contains("configuration reloaded") }
            #expect(reloads.count == 1)
        }

        @Test("a working radio process notifies the watchdog, and a hanging one does not")
        func watchdog() throws {
            let broker = try Broker()
            let service = try Service(port: broker.port, watchdogMs: 400)
            for _ in 0..<4 { _ = try service.socket.wait(for: "WATCHDOG=1") }
            service.agent.process.send(SIGSTOP)
            defer { service.agent.process.send(SIGCONT) }
            #expect(service.agent.staysAlive(for: 0.3))
            while service.socket.next() != nil {}
            #expect(service.agent.staysAlive(for: 1))
            #expect(service.socket.next() == nil)
        }
    }
}
