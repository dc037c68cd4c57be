import Contract
import JSON
import Primitives

/// A layer's document on the broker.
struct RetainedDocument {
    /// Empty for an oversized document.
    let bytes: [UInt8]
    /// `nil` without a valid version.
    let version: Int64?
    /// The digest of the document; `nil` if it can't be read.
    let digest: SHA256Digest?
    /// The sections, valid or not; `nil` if the document can't be read.
    let sections: JSON?
    /// Why the document can't be read: one sentence, without a full stop.
    let fault: String?
    let provenance: Provenance

    init(_ bytes: [UInt8], _ provenance: Provenance = Provenance()) {
        self.bytes = bytes
        self.provenance = provenance
        version = LayerDocument.claimedVersion(in: bytes)
        do throws(JSONSyntaxError) {
            let json = try JSON(parsing: bytes, maxBytes: LayerDocument.maxBytes)
            if case .object = json {
                sections = json.without("version")
                digest = SHA256Digest(of: json.canonicalBytes)
                fault = nil
            } else {
                sections = nil
                digest = nil
                fault = "a document must be an object, not \(json.kind)"
            }
        } catch {
            sections = nil
            digest = nil
            fault = error.fault.message
        }
    }

    init(oversized count: Int) {
        bytes = []
        provenance = Provenance()
        version = nil
        sections = nil
        digest = nil
        fault =
            "it has \(count) bytes; the limit is \(LayerDocument.maxBytes)"
    }
}

extension RetainedDocument: Equatable {
    /// Whether the documents are equal, wherever they come from.
    static func == (left: RetainedDocument, right: RetainedDocument) -> Bool {
        left.bytes == right.bytes && left.fault == right.fault
    }
}
