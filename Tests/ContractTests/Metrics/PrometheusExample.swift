import Contract
import Prometheus
import Sightings
import TestSupport
import TestVectors
import Testing

/// The example in `config/prometheus`.
enum PrometheusExample {
    /// Whether the example is what was written.
    static func text(written text: String) throws -> Bool {
        let bytes = Array(text.utf8)
        return try Checkout.example("config/prometheus/sightline.prom", written: bytes) == bytes
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
