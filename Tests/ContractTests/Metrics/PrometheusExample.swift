import Contract
import Foundation
import Prometheus
import Sightings
import TestVectors
import Testing

/// The example in `config/prometheus`.
enum PrometheusExample {
    private static let path = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("config/prometheus/sightline.prom").path

    /// Whether the example is what was written; see `ContractFiles.example`.
    static func text(written text: String) throws -> Bool {
        if ProcessInfo.processInfo.environment["SIGHTLINE_WRITE_EXAMPLES"] != nil {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        return try String(contentsOfFile: path, encoding: .utf8) == text
    }

    /// The usual health, as its own example has it, and ten beacons.
    static let metrics: Metrics = {
        guard let topics = Topics(site: "store-042", gateway: "entry-1") else { fatalError() }
        var metrics = Metrics(
            topics: topics, version: "0.1.0", health: ExamplesTests.healths[0].message)
        metrics.isConnected = true
        metrics.sightings.count(SightingTallyTests.batch(sightings: 10))
        return metrics
    }()
}
