import JSON
import Primitives

/// The settings of a fleet, a site or a gateway: the retained message of a topic `config/desired`.
///
///     {"version":12,"advertise":{"major":42},"report":{"windowMs":2000},"filter":null}
package struct LayerDocument: Equatable, Sendable {
    /// Increases with every change.
    package let version: Int64
    /// The sections: a merge patch to the layers below (RFC 7396).
    package let patch: JSON

    /// Larger documents are rejected unread.
    package static let maxBytes = 65_536
    /// The largest integer that every JSON reader holds exactly, 2⁵³ − 1 (RFC 8259 section 6).
    package static let versions: ClosedRange<Int64> = 1...9_007_199_254_740_991
    /// The most by which a version may exceed the one in force. A higher one would leave too few for later documents.
    package static let largestVersionStep: Int64 = 1_000_000
    private static let versionKey = "version"

    package init(version: Int64, patch: JSON) {
        self.version = version
        self.patch = patch
    }

    /// Reads a document's bytes; throws every fault that does not depend on the other layers.
    package init(parsing bytes: [UInt8]) throws(Faults) {
        let json: JSON
        do throws(JSONSyntaxError) {
            json = try JSON(parsing: bytes, maxBytes: Self.maxBytes)
        } catch {
            throw Faults([error.fault])
        }
        try self.init(json)
    }

    package init(_ json: JSON) throws(Faults) {
        version = try ObjectReader.decode(json, nulls: .removeKeys) { reader in
            let version = reader.integer(Self.versionKey, in: Self.versions)
            _ = GatewaySettings(from: &reader)
            return version
        }
        patch = json.without(Self.versionKey)
    }

    /// The message, with the version first.
    package var json: JSON {
        guard case .object(let members) = patch else { return patch }
        return .object([.init(Self.versionKey, .integer(version))] + members)
    }

    /// The SHA-256 digest of the document in canonical form (RFC 8785).
    package var digest: SHA256Digest { SHA256Digest(of: json.canonicalBytes) }

    /// The version in a document whose other members may be invalid; `nil` without a valid version.
    package static func claimedVersion(in bytes: [UInt8]) -> Int64? {
        guard let json = try? JSON(parsing: bytes, maxBytes: maxBytes) else { return nil }
        let claimed: Int64? =
            switch json[versionKey] {
            case .integer(let integer): integer
            // 12.0 equals 12, as in `init(_:)`.
            case .number(let number): Int64(exactly: number)
            default: nil
            }
        return claimed.flatMap { versions.contains($0) ? $0 : nil }
    }
}

extension JSON {
    /// An object without one of its members.
    package func without(_ key: String) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { !$0.key.hasSameBytes(as: key) })
    }
}

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
