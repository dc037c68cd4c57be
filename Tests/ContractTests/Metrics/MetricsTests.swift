import Contract
import Prometheus
import Testing

/// What the agent writes for Prometheus.
@Suite struct MetricsTests {
    @Test("written metrics equal the example")
    func example() throws {
        #expect(try PrometheusExample.text(written: PrometheusExample.metrics.text))
    }

    @Test("an unknown value is omitted, and a false condition is 0")
    func unknown() throws {
        let topics = try #require(Topics(site: "s", gateway: "g"))
        let health = Health(session: "", at: 0, uptime: .zero)
        let text = Metrics(topics: topics, version: "0", health: health).text
        for absent in ["last_report_age", "identities{", "broker_info"] {
            #expect(!text.contains(absent), "\(absent)")
        }
        for zero in ["radio_hearing", "clock_synced", "outbox_oldest_age_seconds"] {
            #expect(text.contains("\nsightline_\(zero){site=\"s\",gateway=\"g\"} 0"), "\(zero)")
        }
    }

    @Test("label values are escaped")
    func escaping() {
        var metrics = PrometheusExample.metrics
        metrics.health.broker = "a\"b\\c\nd"
        #expect(metrics.text.contains(#"address="a\"b\\c\nd"} 1"# + "\n"))
    }
}
