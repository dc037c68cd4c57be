import Foundation
import TestSupport

/// A broker with a witness of all messages, a radio, and a publisher of documents for the gateway.
final class TunedScene {
    let broker: Broker
    let radio: RadioProgram
    let witness: Subscriber
    let publisher: Publisher
    /// The gateway's files, which remain after the agent ends.
    let folder: TemporaryFolder

    static let fleet = #"{"version":1,"advertise":{"uuid":"\#(Gateway.uuid)"}}"#
    static let site = #"{"version":1,"advertise":{"major":42}}"#
    static let gateway = #"{"version":1,"advertise":{"minor":7}}"#

    init(
        _ options: Broker.Options = Broker.Options(),
        radio: RadioProgram.Options = RadioProgram.Options(keepsPower: true)
    ) throws {
        broker = try Broker(options)
        self.radio = try RadioProgram(radio)
        witness = try Subscriber(to: "sightline/#", on: broker)
        publisher = try Publisher(broker)
        folder = try TemporaryFolder()
    }

    /// Starts or restarts the agent.
    ///
    /// - Parameters:
    ///   - sections: sections of the configuration, such as `advertise`.
    ///   - set: changes further options.
    func start(
        _ sections: [String: Any] = [:], _ set: (inout Gateway.Options) -> Void = { _ in }
    ) throws -> Gateway {
        var options = Gateway.Options()
        options.radio = radio.source
        options.sections = sections
        set(&options)
        return try Gateway(port: broker.port, options, folder: folder)
    }

    /// Publishes the documents of all three layers, which form the usual identity.
    func publishAll() throws {
        try publisher.publish(Self.fleet, of: .fleet)
        try publisher.publish(Self.site, of: .site)
        try publisher.publish(Self.gateway, of: .gateway)
    }

    /// Waits until the usual identity is on the air and reported.
    @discardableResult
    func waitUntilTuned() throws -> SeenReport {
        try radio.waitForAir { $0.last == .some(ShownIdentity()) }
        return try witness.waitForReport {
            $0.versions == [1, 1, 1] && $0.isAdvertising && $0.status == "applied"
        }
    }

    /// The layers in the state file, by name.
    func savedLayers() throws -> [String: [String: Any]] {
        let data = try Data(contentsOf: URL(fileURLWithPath: folder.file("state/layers.json")))
        let file = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return file?["layers"] as? [String: [String: Any]] ?? [:]
    }
}
