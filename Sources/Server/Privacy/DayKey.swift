import Primitives

/// The key of a site's day.
struct DayKey {
    let name: Name
    let bytes: [UInt8]

    static let length = 32

    /// The site and the day of a key. Its file has the name `SITE@DAY.key`: no name of a site has an `@`.
    struct Name: Hashable, CustomStringConvertible {
        let site: String
        /// The date of its beginning, `2026-11-22`. All dates have one length: their order is that of time.
        let day: String

        private static let dateLength = 10
        private static let suffix = ".key"
        private static let mark = ".destroyed"

        init(site: String, day: String) {
            self.site = site
            self.day = day
        }

        /// - Parameter file: of a key, or the draft that an interrupted write has left; `nil` for another name.
        init?(file: String) { self.init(file, suffix: Self.suffix) }

        /// - Parameter mark: the name of a mark.
        init?(mark: String) { self.init(mark, suffix: Self.mark) }

        private init?(_ file: String, suffix: String) {
            let parts = file.split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[1].dropFirst(Self.dateLength).hasPrefix(suffix)
            else { return nil }
            self.init(site: String(parts[0]), day: String(parts[1].prefix(Self.dateLength)))
        }

        /// The empty file that tells that the key was destroyed.
        var mark: String { description + Self.mark }
        var file: String { description + Self.suffix }
        var description: String { site + "@" + day }
    }
}

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
