import Contract
import JSON

/// A layer's document as the broker has it.
struct RetainedDocument: Equatable {
    /// None where it is too large to be taken.
    let bytes: [UInt8]
    /// `nil` where it has none that counts.
    let version: Int64?
    /// Its sections, right or wrong; `nil` where nothing can be made of it.
    let sections: JSON?
    /// Why nothing can: one sentence, without a full stop.
    let objection: String?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        version = LayerDocument.claimedVersion(in: bytes)
        do throws(JSONSyntaxError) {
            let json = try JSON(parsing: bytes, maxBytes: LayerDocument.maxBytes)
            if case .object = json {
                sections = json.without("version")
                objection = nil
            } else {
                sections = nil
                objection = "a document must be an object, not \(json.kind)"
            }
        } catch {
            sections = nil
            objection = error.fault.message
        }
    }

    init(oversized count: Int) {
        bytes = []
        version = nil
        sections = nil
        objection =
            "\(count) bytes are more than the \(LayerDocument.maxBytes) that a document may have"
    }
}
