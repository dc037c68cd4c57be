import Foundation
import TestSupport

/// Publishes layer documents with `mosquitto_pub`.
struct Publisher {
    enum Layer: CaseIterable {
        case fleet
        case site
        case gateway
    }

    private let port: String
    /// The gateway's id.
    var id = "entry-1"
    private let folder: TemporaryFolder

    init(_ broker: Broker, id: String = "entry-1") throws {
        port = String(broker.port)
        self.id = id
        folder = try TemporaryFolder()
    }

    func topic(_ layer: Layer) -> String {
        switch layer {
        case .fleet: "sightline/v1/config/desired"
        case .site: "sightline/v1/store-042/config/desired"
        case .gateway: "sightline/v1/store-042/\(id)/config/desired"
        }
    }

    /// Publishes a layer's retained document and waits for the acknowledgement; an empty text removes the layer.
    func publish(_ text: String, of layer: Layer) throws {
        let message = text.isEmpty ? ["-n"] : ["-f", try folder.write(text, to: "document")]
        try Tool.run(
            "mosquitto_pub",
            ["-h", "127.0.0.1", "-p", port, "-t", topic(layer), "-r", "-q", "1"] + message)
    }

    /// Publishes documents one after the other without a pause.
    func publish(all texts: [String], of layer: Layer) throws {
        let file = try folder.write(
            texts.map { $0 + "\n" }.joined(), to: "documents")
        let arguments = ["-h", "127.0.0.1", "-p", port, "-t", topic(layer)]
        try Tool.run(
            "sh",
            ["-c", #"f=$1; shift; exec mosquitto_pub -l -r -q 1 "$@" <"$f""#, "sh", file]
                + arguments)
    }
}
