import Foundation

/// A `mosquitto_sub` as an independent witness of the messages that a broker delivers.
package final class Subscriber {
    /// A message that the witness received.
    package struct Received: Equatable, Sendable {
        package let topic: String
        package let isRetained: Bool
        package let payload: String
    }

    private let process: ChildProcess
    private let name = "witness-" + UUID().uuidString.prefix(8)

    /// Subscribes, and waits until the broker has confirmed it.
    ///
    /// - Parameter isRemembered: the broker keeps the session, and queues messages while it is
    ///   disconnected.
    package init(
        to filter: String, on broker: Broker, arguments: [String] = [], isRemembered: Bool = false
    ) throws {
        process = try ChildProcess(
            "mosquitto_sub",
            [
                "-h", "127.0.0.1", "-p", String(broker.port), "-i", name, "-q", "1", "-V", "mqttv5",
                "-t", filter, "-F", "%t\t%r\t%p",
            ] + arguments + (isRemembered ? ["-c"] : []))
        guard isSubscribed(to: broker) else {
            throw TestFailure("no subscription: \(process.lines) \(broker.log)")
        }
    }

    deinit {
        SeenMessages.keep(received, of: name)
        process.send(SIGKILL)
    }

    /// Waits until the broker has confirmed the subscription, also after a restart.
    package func isSubscribed(to broker: Broker) -> Bool {
        broker.waitForLog("Sending SUBACK to \(name)")
    }

    /// All messages so far.
    package var received: [Received] { process.lines.compactMap(Self.parse) }

    /// Waits until the messages so far satisfy `condition`.
    package func wait(
        within seconds: Double = Deadline.limit, until satisfied: ([Received]) -> Bool
    ) -> Bool {
        process.waitForLines(within: seconds) { satisfied($0.compactMap(Self.parse)) }
    }

    /// Waits for a message.
    package func waitForMessage(
        within seconds: Double = Deadline.limit, where matches: (Received) -> Bool
    ) -> Received? {
        process.waitForLine(within: seconds) { Self.parse($0).map(matches) ?? false }
            .flatMap(Self.parse)
    }

    private static func parse(_ line: String) -> Received? {
        let fields = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3 else { return nil }
        return Received(
            topic: String(fields[0]), isRetained: fields[1] == "1", payload: String(fields[2]))
    }
}
