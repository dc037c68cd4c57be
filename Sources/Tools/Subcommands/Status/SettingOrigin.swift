import Contract
import JSON
import Primitives
import Subscriber

/// A value in force, and the layer that sets it.
struct SettingOrigin: Equatable {
    enum Origin: Equatable {
        case layer(Topics.Layer, version: Int64)
        /// The gateway's own file, or the default.
        case local
        /// The broker has another document than the one in force.
        case unknown(Topics.Layer, version: Int64)
    }

    /// `advertise.major`.
    let path: String
    let value: JSON
    let origin: Origin

    /// Each value of `report.effective`, in its order.
    static func all(
        of report: ReportedMessage, document: (Topics.Layer) -> DesiredDocument?
    ) -> [SettingOrigin] {
        // The narrowest layer first: it decides.
        let layers = Topics.Layer.allCases.reversed().compactMap { layer in
            report.versions[layer].map { version in
                let found = document(layer).flatMap {
                    $0.isInForce(version: version, digest: report.digests[layer]) ? $0 : nil
                }
                return (layer: layer, version: version, json: found?.json)
            }
        }
        return leaves(report.effective, []).map { path, value in
            SettingOrigin(
                path: path.joined(separator: "."), value: value,
                origin: origin(of: path, in: layers))
        }
    }

    private static func origin(
        of path: [String], in layers: [(layer: Topics.Layer, version: Int64, json: JSON?)]
    ) -> Origin {
        for (layer, version, json) in layers {
            guard let json else { return .unknown(layer, version: version) }
            switch json.setting(at: path[...]) {
            case .absent: continue
            // The layer removes the value of the wider ones and of the file: the default is in force.
            case .removed: return .local
            case .set: return .layer(layer, version: version)
            }
        }
        return .local
    }

    private static func leaves(_ json: JSON, _ path: [String]) -> [([String], JSON)] {
        guard case .object(let members) = json else { return [(path, json)] }
        return members.flatMap { leaves($0.value, path + [$0.key]) }
    }
}

extension SettingOrigin.Origin: CustomStringConvertible {
    var description: String {
        switch self {
        case .layer(let layer, let version): "\(layer.rawValue) \(version)"
        case .local: "local file or default"
        case .unknown(let layer, let version):
            "unknown: the broker lacks \(layer.rawValue) \(version)"
        }
    }
}

private enum Setting {
    case absent
    case removed
    case set
}

extension JSON {
    /// What a merge patch (RFC 7396) does to the value at a path.
    fileprivate func setting(at path: ArraySlice<String>) -> Setting {
        guard let key = path.first else { return self == .null ? .removed : .set }
        // A null above the path removes it as well.
        guard case .object = self else { return self == .null ? .removed : .set }
        return self[key]?.setting(at: path.dropFirst()) ?? .absent
    }
}

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
