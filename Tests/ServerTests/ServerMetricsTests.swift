import Foundation
import JSON
import Prometheus
import Queueing
import Testing

@Suite("metrics of queues")
struct ServerMetricsTests {
    /// The samples for an example of the contract, by name.
    private func samples(_ example: String) throws -> [String: Double] {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("config/contract/examples/results/queue.\(example).json")
        let document = try JSON(parsing: [UInt8](try Data(contentsOf: path)), maxBytes: 10_000)
        var exposition = Exposition()
        exposition.write(QueueResult.kind, [document])
        let labels = #"{site="store-042",queue="q"} "#
        let samples = exposition.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            let parts = String($0).components(separatedBy: labels)
            return (
                parts[0].replacing("sightline_queue_", with: ""), parts.last.flatMap(Double.init)
            )
        }
        return Dictionary(samples) { first, _ in first }.compactMapValues(\.self)
    }

    @Test("a known queue has every value, in base units")
    func known() throws {
        #expect(
            try samples("known") == [
                "unknown": 0, "degraded": 0, "people": 3.3, "people_low": 1, "people_high": 16,
                "coverage_ratio": 0.3, "throughput_per_hour": 47.1, "wait_seconds": 88.974,
                "wait_low_seconds": 29.487, "wait_high_seconds": 184.153,
                "forecast_error_seconds": 45.382, "wait_p90_seconds": 151, "target_seconds": 300,
                "over_target": 0, "tills_open": 1, "little_residual_seconds": 0,
            ])
    }

    @Test("an unknown queue has no number of people, waits, tills and target: absent is not 0")
    func unknown() throws {
        #expect(
            try samples("unknown") == [
                "unknown": 1, "degraded": 0, "coverage_ratio": 0.3, "target_seconds": 300,
                "little_residual_seconds": 0,
            ])
    }
}
