import JSON

/// Why a document is not in force: an element of the member `errors` of `config/reported`.
package struct LayerFault: Equatable, Sendable {
    /// The document's layer; `nil` is the local file.
    package let layer: Topics.Layer?
    /// `nil` if the document has no valid version.
    package let version: Int64?
    package let fault: Fault

    package init(layer: Topics.Layer?, version: Int64?, fault: Fault) {
        self.layer = layer
        self.version = version
        self.fault = Fault(fault.pointer.excerpt, fault.code, fault.message)
    }

    private static let local = "local"
    var json: JSON {
        var members: [JSON.Member] = [.init("layer", .string(layer?.rawValue ?? Self.local))]
        if let version { members.append(.init("version", .integer(version))) }
        members.append(.init("path", .string(fault.pointer.description)))
        members.append(.init("code", .string(fault.code.rawValue)))
        members.append(.init("message", .string(fault.message)))
        return .object(members)
    }

    init?(from reader: inout ObjectReader) {
        layer = Topics.Layer(rawValue: reader.string("layer"))
        version = reader.optionalInteger("version", in: LayerDocument.versions)
        let path = reader.string("path")
        let code = reader.choice("code", of: Fault.Code.self)
        let message = reader.string("message")
        guard let code else { return nil }
        fault = Fault(JSONPointer(parsing: path), code, message)
    }
}
