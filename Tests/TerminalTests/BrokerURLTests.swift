import Terminal
import Testing

@Suite struct BrokerURLTests {
    @Test(
        "a URL of a broker is accepted",
        arguments: [
            ("mqtt://h", "mqtt://h:1883"), ("mqtts://h", "mqtts://h:8883"),
            ("MQTT://h:1", "mqtt://h:1"), ("mqtt://[::1]:9", "mqtt://[::1]:9"),
            ("mqtts://[::1]", "mqtts://[::1]:8883"), ("mqtt://h/", "mqtt://h:1883"),
        ])
    func brokers(text: String, broker: String) throws {
        #expect(try BrokerURL(text).description == broker)
    }

    @Test(
        "other texts are rejected",
        arguments: [
            "", "h", "h:1883", "http://h", "mqtt://", "mqtt://h:0", "mqtt://h:65536", "mqtt://h:+1",
            "mqtt://h:", "mqtt://::1", "mqtt://[::1", "mqtt://[::1]x", "mqtt://h/x", "mqtt://h?x",
            "mqtt://a b", "mqtt://h\0",
        ])
    func noBrokers(text: String) {
        #expect(throws: BrokerURL.Invalid.self) { try BrokerURL(text) }
    }
}
