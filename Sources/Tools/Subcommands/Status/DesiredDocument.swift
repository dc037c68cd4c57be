import Contract
import JSON
import Primitives

/// A layer's document on the broker.
struct DesiredDocument {
    /// `nil` without a valid version.
    let version: Int64?
    let digest: SHA256Digest?
    /// The document; `nil` if it can't be read.
    let json: JSON?

    init(_ bytes: [UInt8]) {
        let json = try? JSON(parsing: bytes, maxBytes: LayerDocument.maxBytes)
        version = LayerDocument.claimedVersion(in: bytes)
        digest = json.map { SHA256Digest(of: $0.canonicalBytes) }
        self.json = json
    }

    /// Whether a report names this document. Agents of version 0.1 report no digests.
    func isInForce(version: Int64?, digest: SHA256Digest?) -> Bool {
        guard let own = self.version, version == own else { return false }
        return digest == nil || digest == self.digest
    }
}
