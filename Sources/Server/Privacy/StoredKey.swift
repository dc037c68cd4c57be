import Primitives

/// The file of a day's key: the key, and a checksum.
enum StoredKey: Equatable {
    case key([UInt8])
    case missing
    /// The reason.
    case damaged(String)

    /// Versions up to 0.2.0 wrote no checksum.
    init(_ contents: [UInt8]) {
        if contents.count == DayKey.length {
            self = .key(contents)
        } else if contents == Self.contents(of: Array(contents.prefix(DayKey.length))) {
            self = .key(Array(contents.prefix(DayKey.length)))
        } else {
            self = .damaged(
                contents.count == Self.size
                    ? "its checksum is wrong" : "it has \(contents.count) bytes")
        }
    }

    static let size = DayKey.length + Checksum.size

    static func contents(of key: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(capacity: size)
        for byte in key { writer.put(byte: byte) }
        return writer.checksummed
    }

    /// `nil` if there is none that is whole.
    var key: [UInt8]? { if case .key(let key) = self { key } else { nil } }

    var fault: String {
        switch self {
        case .key: "it was changed"
        case .missing: "its file was missing"
        case .damaged(let reason): "its file was damaged, \(reason)"
        }
    }
}
