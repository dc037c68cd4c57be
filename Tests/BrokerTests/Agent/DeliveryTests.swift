import Foundation
import TestSupport
import Testing

extension BrokerTests {
    /// The program itself, with a broker on one side and the virtual radio on the other.
    @Suite(
        "sightlined",
        .enabled(if: Gateway.program != nil, "sightlined was not built beside the tests"))
    struct AgentTests {}
}

extension BrokerTests.AgentTests {
    @Suite("delivery")
    struct DeliveryTests {
        /// The MQTT version and the credentials of the agent and the witness.
        enum Access: CaseIterable {
            case version5, version311, certificate, password
        }

        private static let members: Set = [
            "v", "site", "gateway", "session", "seq", "window", "clock", "radio", "sightings",
        ]
        private static let radioMembers: Set = [
            "reports", "beacons", "filtered", "malformed", "implausible", "dropped",
        ]
        private static let sightingMembers: Set = [
            "type", "uuid", "major", "minor", "measuredPower", "count", "rssi", "power",
            "firstSeen", "lastSeen", "maxAt", "senders",
        ]

        @Test(
            "correct sightings arrive with each MQTT version and each login",
            arguments: Access.allCases
        )
        func sightings(access: Access) throws {
            let folder = try TemporaryFolder()
            var gateway = Gateway.Options()
            gateway.windowMs = 200
            var witnessArguments: [String] = []
            let broker = try broker(
                for: access, in: folder, agent: &gateway, witness: &witnessArguments)
            let witness = try Subscriber(
                to: "sightline/v1/#", on: broker, arguments: witnessArguments)
            let agent = try Gateway(port: broker.port, gateway)
            try agent.waitForLog(
                access == .version311 ? "MQTT connected" : "mqtt=5")
            let status = try witness.waitForStatus("online")
            try witness.waitForBatch { $0.seq == 9 }
            try agent.end()
            #expect(agent.complaints.isEmpty)

            let batches = try witness.batches()
            #expect(batches.map(\.seq) == Array(0..<batches.count))
            #expect(Set(batches.map(\.session)) == [status["session"] as? String ?? ""])
            checkWindows(batches)
            for batch in batches { try checkMembers(batch) }
            // The first and the last window are incomplete.
            let whole = batches.dropFirst().dropLast()
            let seconds = Double(whole.count) * 0.2
            for minor in 1...3 {
                let count = whole.flatMap(\.sightings).filter { $0["minor"] as? Int == minor }
                    .reduce(0) { $0 + ($1["count"] as? Int ?? 0) }
                // Every 100 ms, and up to 10 ms more.
                #expect(abs(Double(count) - seconds * 9.52) <= 4, "\(count) in \(seconds) s")
            }
            let late = try Subscriber(
                to: "sightline/v1/#", on: broker, arguments: witnessArguments)
            #expect(try late.waitForStatus("offline")["session"] as? String == batches[0].session)
        }

        private func broker(
            for access: Access, in folder: TemporaryFolder, agent: inout Gateway.Options,
            witness: inout [String]
        ) throws -> Broker {
            var options = Broker.Options()
            switch access {
            case .version5: agent.mqtt["protocol"] = "5"
            case .version311: agent.mqtt["protocol"] = "3.1.1"
            case .certificate:
                let authority = try Certificates(in: folder)
                let server = try authority.server(["DNS:localhost", "IP:127.0.0.1"])
                let client = try authority.client()
                options.tls = Broker.TLS(server: server, clientCAFile: authority.caFile)
                agent.mqtt["tls"] = [
                    "caFile": authority.caFile, "certFile": client.certFile,
                    "keyFile": client.keyFile,
                ]
                witness = [
                    "--cafile", authority.caFile, "--cert", client.certFile, "--key",
                    client.keyFile,
                ]
            case .password:
                options.users = ["entry-1": "secret", "witness": "other"]
                agent.mqtt["username"] = "entry-1"
                agent.mqtt["passwordFile"] = try Gateway.passwordFile("secret\n", in: folder)
                witness = ["-u", "witness", "-P", "other"]
            }
            return try Broker(options, folder: folder)
        }

        private func checkWindows(_ batches: [SeenBatch]) {
            for (earlier, later) in zip(batches, batches.dropFirst()) {
                #expect(later.start == earlier.end)
                #expect(earlier.end % 200 == 0)
            }
            // The last may have been ended within its first millisecond.
            for batch in batches.dropLast() { #expect(batch.start < batch.end) }
            for batch in batches {
                #expect(batch.start <= batch.end)
                #expect(batch.end - batch.start <= 200)
            }
        }

        private func checkMembers(_ batch: SeenBatch) throws {
            #expect(Set(batch.object.keys) == Self.members)
            #expect(Set(batch.radio.keys) == Self.radioMembers)
            #expect(batch.object["v"] as? Int == 1)
            #expect(batch.object["site"] as? String == "store-042")
            #expect(batch.object["gateway"] as? String == "entry-1")
            #expect(["synced", "unsynced"].contains(batch.object["clock"] as? String))
            #expect(batch.radio["beacons"] as? Int == batch.count)
            #expect(batch.radio["reports"] as? Int == batch.count)
            for sighting in batch.sightings {
                #expect(Set(sighting.keys) == Self.sightingMembers)
                #expect(sighting["type"] as? String == "ibeacon")
                #expect(sighting["uuid"] as? String == Gateway.uuid)
                #expect(sighting["major"] as? Int == 42)
                let rssi = try #require(sighting["rssi"] as? [String: Any])
                #expect(Set(rssi.keys) == ["min", "max", "mean", "stddev", "last"])
                let power = try #require(sighting["power"] as? [String: Any])
                #expect(Set(power.keys) == ["mean", "centroid"])
                let first = try #require(sighting["firstSeen"] as? Int)
                let last = try #require(sighting["lastSeen"] as? Int)
                let strongest = try #require(sighting["maxAt"] as? Int)
                #expect(0 <= first && first <= strongest && strongest <= last)
                #expect(last <= batch.end - batch.start)
            }
        }
    }
}
