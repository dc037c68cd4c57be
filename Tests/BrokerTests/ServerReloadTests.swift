import Foundation
import MQTT
import Posix
import TestSupport
import Testing

extension BrokerTests {
    @Suite("the server reads its configuration again on SIGHUP")
    struct ServerReloadTests {
        /// A server, and gateways that send a window each second.
        private final class Scene {
            private let broker: Broker
            private let witness: Subscriber
            private let sender: ConnectionDriver
            private let folder: TemporaryFolder
            private let server: ChildProcess
            private var sent: UInt64 = 0

            init(_ sites: [String: [String]]) throws {
                folder = try TemporaryFolder()
                broker = try Broker()
                witness = try Subscriber(to: "sightline/results/v1/+/queues/+", on: broker)
                sender = try ConnectionDriver(to: broker.settings())
                try Self.configure(sites, broker, folder)
                let program = try #require(BuiltProgram.find("sightline-server"))
                server = try ChildProcess(
                    program, ["--config", folder.file("server.json")], environment: [:])
                #expect(server.waitForLine { $0.contains("MQTT connected") } != nil)
            }

            /// - Parameter sites: each site's tills. It has the gateway `entry` besides.
            private static func configure(
                _ sites: [String: [String]], _ broker: Broker, _ folder: TemporaryFolder
            ) throws {
                let list = sites.sorted { $0.key < $1.key }.map { site, tills in
                    #"""
                    {"site": "\#(site)", "learningSeconds": 0,
                     "queues": [{"queue": "exit", "entry": ["entry"], "till": \#(tills)}]}
                    """#
                }
                try folder.write(
                    #"""
                    {"mqtt": {"host": "127.0.0.1", "port": \#(broker.port)},
                     "http": {"listen": "unix:\#(folder.file("http"))"},
                     "stateDirectory": "\#(folder.file("state"))", "sites": [\#(list.joined(separator: ","))]}
                    """#, to: "server.json")
            }

            /// Messages wait for the server when it begins.
            ///
            /// - Parameter reason: why the log says that the connection ends.
            func reload(_ sites: [String: [String]], _ reason: String) throws {
                try Self.configure(sites, broker, folder)
                let earlier = server.lines.count
                server.send(SIGSTOP)
                try sendWindows(["a/entry", "a/till"])
                server.send(SIGHUP)
                server.send(SIGCONT)
                let line = server.waitForLine(from: earlier) {
                    $0.contains("configuration read again")
                }
                #expect(line != nil, "\(server.lines)")
                #expect(
                    server.lines.dropFirst(earlier).contains {
                        $0.contains("MQTT connection lost") && $0.contains(reason)
                    }, "\(server.lines)")
            }

            /// Sends an empty window of each gateway for each of the last three seconds.
            private func sendWindows(_ gateways: [String]) throws {
                let now = Clocks.wall.milliseconds / 1000
                for second in now - 2...now {
                    for gateway in gateways {
                        let names = gateway.split(separator: "/")
                        let window = #"""
                            {"v":1,"site":"\#(names[0])","gateway":"\#(names[1])","session":"1","seq":\#(second),
                             "window":{"start":\#(second * 1000 - 1000),"end":\#(second * 1000)},"clock":"synced",
                             "radio":{"reports":0,"beacons":0,"filtered":0,"malformed":0,"implausible":0,"dropped":0},
                             "sightings":[]}
                            """#
                        sent += 1
                        try sender.connection.publish(
                            Publication(
                                topic: "sightline/v1/\(gateway)/sightings",
                                payload: Array(window.utf8)), token: sent)
                        _ = try sender.answer(to: sent)
                    }
                }
            }

            /// Sends windows until a document of the site's queue, after the first `earlier` ones, has these texts.
            func sendWindows(
                of gateways: [String], until site: String, has texts: [String],
                from earlier: Int = 0
            ) throws {
                let isReached = try Deadline.wait {
                    try sendWindows(gateways)
                    return documents(of: site).dropFirst(earlier)
                        .contains { document in texts.allSatisfy(document.contains) }
                }
                guard !isReached else { return }
                throw TestFailure(
                    "no new result of site \(site) has \(texts.joined(separator: " and ")); the last is \(documents(of: site).last ?? "none")"
                )
            }

            /// The documents of a site's queue so far; an empty one removes it.
            func documents(of site: String) -> [String] {
                witness.received.filter { $0.topic == Self.topic(site) }.map(\.payload)
            }

            func waitForRemoval(of site: String) -> Bool {
                witness.wait { $0.last { $0.topic == Self.topic(site) }?.payload == "" }
            }

            private static func topic(_ site: String) -> String {
                "sightline/results/v1/\(site)/queues/exit"
            }

            func end() {
                server.send(SIGTERM)
                #expect(server.waitForExit() == 0)
            }
        }

        private static let otherSites = "the configuration has other sites"
        private static let otherLayout = "the configuration of a site has changed"
        private static let ok = #""state":"ok""#

        @Test("messages of an added site are read, and those of a removed one no more")
        func sites() throws {
            let all = ["a/entry", "a/till", "b/entry", "b/till"]
            let scene = try Scene(["a": ["till"]])
            try scene.sendWindows(of: all, until: "a", has: [Self.ok])
            #expect(scene.documents(of: "b").isEmpty)
            try scene.reload(["a": ["till"], "b": ["till"]], Self.otherSites)
            try scene.sendWindows(of: all, until: "b", has: [Self.ok])
            try scene.reload(["a": ["till"]], Self.otherSites)
            #expect(scene.waitForRemoval(of: "b"))
            let removed = scene.documents(of: "b").count
            let earlier = scene.documents(of: "a").count
            try scene.sendWindows(of: all, until: "a", has: [Self.ok], from: earlier)
            #expect(scene.documents(of: "b").count == removed)
            scene.end()
        }

        @Test("messages of an added gateway are read, and a removed one is no cause for doubt")
        func gateways() throws {
            let present = ["a/entry", "a/till"]
            let one = #""of":1"#
            let two = #""of":2"#
            let silent = #""gateway":"till-2""#
            let scene = try Scene(["a": ["till"]])
            try scene.sendWindows(of: present, until: "a", has: [Self.ok, one])
            try scene.reload(["a": ["till", "till-2"]], Self.otherLayout)
            try scene.sendWindows(of: present, until: "a", has: [silent])
            try scene.sendWindows(
                of: present + ["a/till-2"], until: "a", has: [Self.ok, two])
            try scene.reload(["a": ["till"]], Self.otherLayout)
            let earlier = scene.documents(of: "a").count
            try scene.sendWindows(of: present, until: "a", has: [Self.ok, one], from: earlier)
            scene.end()
        }
    }
}
