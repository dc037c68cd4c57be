import Contract
import JSON
import MQTT
import Primitives

/// Where a layer's document comes from: the user properties of its message, which the broker keeps with it.
///
/// Only MQTT 5 carries them, and other publishers may leave them out.
struct Provenance: Equatable {
    /// By the publisher's clock.
    private(set) var publishedAt: UnixTime?
    /// The document that the publisher found on the broker, in full.
    private(set) var replaced: [UInt8]?

    private enum Name {
        static let publishedAt = "published-at"
        static let replaces = "replaces"
    }

    /// A larger document is left out. Some brokers limit user properties to 8 KiB.
    private static let largestReplaced = 4096

    init() {}

    init(_ properties: [UserProperty]) {
        for property in properties {
            switch property.name {
            case Name.publishedAt:
                guard let milliseconds = Int64(property.value),
                    LayerDocument.versions.contains(milliseconds)
                else { continue }
                publishedAt = UnixTime(milliseconds: milliseconds)
            case Name.replaces: replaced = Array(property.value.utf8)
            default: continue
            }
        }
    }

    /// The provenance of a document that replaces `base`.
    init(replacing base: RetainedDocument?) {
        guard let base, let version = base.version, let sections = base.sections else { return }
        // The properties of a message have no line breaks (MQTT 5.0 section 1.5.4), unlike a document from an editor.
        let bytes = LayerDocument(version: version, patch: sections).json.bytes
        replaced = bytes.count <= Self.largestReplaced ? bytes : nil
    }

    /// The same document, published at this time.
    func published(at time: UnixTime) -> Provenance {
        var dated = self
        dated.publishedAt = time
        return dated
    }

    var properties: [UserProperty] {
        let time = publishedAt.map {
            UserProperty(name: Name.publishedAt, value: String($0.milliseconds))
        }
        let document = replaced.map {
            UserProperty(name: Name.replaces, value: String(decoding: $0, as: UTF8.self))
        }
        return [time, document].compactMap(\.self)
    }
}
