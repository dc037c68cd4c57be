import Contract
import Foundation
import HomeAssistant
import JSON
import Prometheus
import Queueing
import Results
import Testing

@testable import Server

@Suite struct ZDumpTests {
    @Test func dump() throws {
        let place = ProcessInfo.processInfo.environment["DUMP"] ?? "/tmp/golden_x"
        try OpenAPI.document.text.write(
            toFile: place + "/openapi.json", atomically: true, encoding: .utf8)
        let discovery = try #require(
            ResultDiscovery(
                QueueResult.kind, prefix: "ha", topics: ResultTopics(), site: "s.x", item: "q_1",
                server: "srv", version: "9"))
        try (discovery.topic + "\n" + String(decoding: discovery.encoded, as: UTF8.self)).write(
            toFile: place + "/discovery", atomically: true, encoding: .utf8)
        for example in ["known", "unknown"] {
            let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("config/contract/examples/results/queue.\(example).json")
            let document = try JSON(parsing: [UInt8](try Data(contentsOf: path)), maxBytes: 10_000)
            var exposition = Exposition()
            exposition.write(QueueResult.kind, [document])
            try exposition.text.write(
                toFile: place + "/metrics.\(example)", atomically: true, encoding: .utf8)
        }
    }
}
