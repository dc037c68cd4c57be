import TestSupport
import Testing

/// All tests that need a real mosquitto, one at a time: they share two cores with its processes.
@Suite(
    "MQTT against a broker", .serialized,
    .enabled(if: Broker.isInstalled, Comment(rawValue: Broker.howToInstall)))
struct BrokerTests {}
