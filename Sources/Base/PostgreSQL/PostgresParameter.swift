import Primitives
import SQL

/// A bound parameter in the binary form of the protocol ("Frontend/Backend Protocol", array_send in `arrayfuncs.c`).
package enum PostgresParameter: Sendable {
    /// The types of columns.
    package enum Kind: Sendable {
        case integer, text, bytes

        /// The numbers of the types and of their arrays (`pg_type.dat`).
        fileprivate var types: (element: UInt32, array: UInt32) {
            switch self {
            case .integer: (20, 1016)
            case .text: (25, 1009)
            case .bytes: (17, 1001)
            }
        }

        package var name: String {
            switch self {
            case .integer: "bigint"
            case .text: "text"
            case .bytes: "bytea"
            }
        }
    }

    case one(SQLValue)
    /// One value a row.
    case column(Kind, [SQLValue])

    var type: UInt32 {
        switch self {
        case .one(.integer): Kind.integer.types.element
        case .one(.text): Kind.text.types.element
        case .one(.bytes): Kind.bytes.types.element
        case .column(let kind, _): kind.types.array
        }
    }

    var encoded: [UInt8] {
        switch self {
        case .one(let value): return value.encoded(as: nil)
        case .column(let kind, let values):
            var bytes: [UInt8] = []
            // Dimensions, whether it has NULL, the type; of the dimension: its size, its first index.
            for number in [1, 0, kind.types.element, UInt32(clamping: values.count), 1] {
                bytes.append(number)
            }
            for value in values {
                let element = value.encoded(as: kind)
                bytes.append(UInt32(clamping: element.count))
                bytes += element
            }
            return bytes
        }
    }
}

extension SQLValue {
    /// - Parameter kind: of the column. JSON is bytes here, and text in the database.
    fileprivate func encoded(as kind: PostgresParameter.Kind?) -> [UInt8] {
        switch self {
        case .integer(let number): return withUnsafeBytes(of: number.bigEndian) { Array($0) }
        case .text(let text): return Self.clipped(Self.storable(Array(text.utf8)))
        case .bytes(let bytes):
            guard case .text = kind else { return bytes }
            return Self.storable(Array(String(decoding: bytes, as: UTF8.self).utf8))
        }
    }

    /// An index takes no row above 2,704 bytes ("B-Tree Indexes"), and a hostile gateway chooses its session's name. The digest
    /// keeps long names apart.
    private static func clipped(_ text: [UInt8]) -> [UInt8] {
        let most = 512
        guard text.count > most else { return text }
        let digest = Hexadecimal.text(SHA256Digest(of: text).bytes).utf8
        let start = String(decoding: text.prefix(most - digest.count), as: UTF8.self)
        return Array(start.utf8) + digest
    }

    /// A text of PostgreSQL can't have the character NUL: a replacement character takes its place.
    private static func storable(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(0) else { return text }
        return text.flatMap { $0 == 0 ? Array("\u{fffd}".utf8) : [$0] }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ number: UInt32) {
        Swift.withUnsafeBytes(of: number.bigEndian) { self += $0 }
    }
}
