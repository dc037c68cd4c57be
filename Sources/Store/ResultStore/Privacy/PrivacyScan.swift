import Facts
import Posix
import Primitives
import Queueing

/// A search for identities in everything that the server keeps: rows of the store, bytes of its file and log, and all
/// other files of the state directory.
///
/// Rows are searched too, since the bytes of a long row lie in several pages of the file.
package struct PrivacyScan {
    /// One form in which an identity could be written.
    package struct Needle: Equatable, Sendable {
        /// Its description, such as `UUID as text`.
        package let name: String
        let bytes: [UInt8]
        let foldsCase: Bool

        package var length: Int { bytes.count }
    }

    /// A place where a needle is.
    package struct Match: Equatable, Sendable {
        package let needle: String
        /// A file and an offset, or a table and a row.
        package let place: String
    }

    package struct Result: Equatable, Sendable {
        package fileprivate(set) var matches: [Match] = []
        package fileprivate(set) var files = 0
        package fileprivate(set) var bytes: Int64 = 0
        package fileprivate(set) var rows = 0
        /// Files and tables that can't be read, with the reason: their absence is not proved.
        package fileprivate(set) var unread: [String] = []
    }

    /// Matches beyond this number are not listed.
    private static let mostMatches = 1000
    private static let piece = 1 << 20

    private let needles: [Needle]
    private let engine: any StoreEngine
    private let search: ByteSearch
    private var result = Result()

    private init(_ needles: [Needle], _ engine: any StoreEngine) {
        self.needles = needles
        self.engine = engine
        search = ByteSearch(needles.map { ($0.bytes, $0.foldsCase) })
    }

    /// Searches folders with all files in them, and the store at `path`. A folder may be missing.
    ///
    /// - Parameter journal: a store elsewhere, which exists only while the disk fails.
    package static func run(
        folders: [String], store path: String, of engine: any StoreEngine,
        journal: String? = nil, for needles: [Needle]
    ) -> Result {
        var scan = PrivacyScan(needles, engine)
        for folder in folders where File.exists(folder) { scan.search(folder: folder, depth: 0) }
        if engine.exists(at: path) { scan.search(store: path) }
        if let journal {
            for file in [journal, journal + "-wal"] where File.exists(file) {
                scan.search(file: file)
            }
            if engine.exists(at: journal) { scan.search(store: journal) }
        }
        return scan.result
    }

    private mutating func note(_ needle: Int, _ place: @autoclosure () -> String) {
        guard result.matches.count < Self.mostMatches else { return }
        result.matches.append(Match(needle: needles[needle].name, place: place()))
    }

    private mutating func search(folder: String, depth: Int) {
        guard depth < 8 else {
            result.unread.append("\(folder): too many folders in each other")
            return
        }
        if let failure = Account.own.failure(of: [.read, .enter], at: folder) {
            result.unread.append("\(folder): \(failure)")
            return
        }
        for name in Folder.names(in: folder) {
            let path = folder + "/" + name
            for found in search.find(in: Array(name.utf8)) {
                note(found.needle, "name of the file \(path)")
            }
            guard let permissions = try? FilePermissions(of: path) else { continue }
            if permissions.isFolder {
                self.search(folder: path, depth: depth + 1)
            } else if permissions.isFile {
                self.search(file: path)
            }
        }
    }

    private mutating func search(file path: String) {
        do throws(Errno) {
            let file = try Descriptor.open(reading: path)
            let number = file.rawValue
            var piece = [UInt8](repeating: 0, count: Self.piece)
            result.files += 1
            /// The end of the last piece, and its offset in the file.
            var rest: [UInt8] = []
            var offset = 0
            while true {
                let read = piece.withUnsafeMutableBytes { Descriptor.read(number, into: $0) }
                guard let count = try read.get(), count > 0 else { return }
                result.bytes += Int64(count)
                let bytes = rest + piece.prefix(count)
                for found in search.find(in: bytes) {
                    note(found.needle, "\(path), byte \(offset + found.offset)")
                }
                rest = bytes.suffix(search.overlap)
                offset += bytes.count - rest.count
            }
        } catch {
            result.unread.append("\(path): \(error)")
        }
    }

    private mutating func search(store path: String) {
        do throws(StoreFailure) {
            try engine.rows(of: path) { table, row, values in
                result.rows += 1
                for found in values.flatMap({ search.find(in: $0) }) {
                    note(found.needle, "table \(table), row \(row)")
                }
            }
        } catch {
            result.unread.append("\(path): \(error)")
        }
    }
}

extension PrivacyScan.Needle {
    /// The forms of a UUID: bytes, hexadecimal digits, and text.
    ///
    /// - Parameter uuid: 16 bytes.
    package static func forms(uuid: [UInt8]) -> [Self] {
        let digits = Array(Hexadecimal.text(uuid).utf8)
        var text: [UInt8] = []
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return forms(of: uuid, name: "UUID") + [
            Self(name: "UUID as text", bytes: text, foldsCase: true)
        ]
    }

    /// The forms of an identity's bytes, or of a part of them.
    package static func forms(of bytes: [UInt8], name: String) -> [Self] {
        [
            Self(name: "\(name) as bytes", bytes: bytes, foldsCase: false),
            Self(name: "\(name) as bytes in reverse", bytes: bytes.reversed(), foldsCase: false),
            Self(
                name: "\(name) in hexadecimal", bytes: Array(Hexadecimal.text(bytes).utf8),
                foldsCase: true),
        ]
    }

    /// The forms of a beacon's identity.
    package static func forms(uuid: [UInt8], major: UInt16, minor: UInt16) -> [Self] {
        let numbers = [major, minor].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
        return forms(uuid: uuid) + [
            Self(name: "UUID, major and minor as bytes", bytes: uuid + numbers, foldsCase: false)
        ]
    }

    /// The forms of a tag. While its day runs, facts and visits have it; afterwards nothing may.
    package static func forms(tag: Tag, name: String) -> [Self] {
        let bytes = withUnsafeBytes(of: tag.rawValue.littleEndian) { Array($0) }
        return [
            Self(name: name, bytes: bytes, foldsCase: false),
            Self(name: name, bytes: bytes.reversed(), foldsCase: false),
            Self(
                name: "\(name) in hexadecimal",
                bytes: Array(Hexadecimal.text(bytes.reversed()).utf8), foldsCase: true),
        ]
    }
}
