import JSON
import Primitives
import Terminal

extension Dissection {
    private static let shownBytes = 8

    /// The packet for people: its kind, and a line per field.
    var lines: [String] {
        var table = TextTable([.right("BYTE"), .left("HEX"), .left("FIELD"), .left("MEANING")])
        for field in fields {
            var hex = Hexadecimal.text(field.bytes.prefix(Self.shownBytes), separator: " ")
            if field.bytes.count > Self.shownBytes { hex += " …" }
            table.rows.append([String(field.offset), hex, field.name, field.meaning])
        }
        return ["\(kind.description), \(count(bytes.count, "byte"))"]
            + (fields.isEmpty ? [] : table.lines)
    }

    /// The packet for programs.
    var json: JSON {
        let fields = fields.map { field in
            JSON.object([
                .init("offset", .integer(field.offset)),
                .init("hex", .string(Hexadecimal.text(field.bytes))),
                .init("field", .string(String(field.name.drop { $0 == " " || $0 == "–" }))),
                .init("meaning", .string(field.meaning)),
            ])
        }
        return .object([
            .init("type", .string("packet")), .init("kind", .string(kind.description)),
            .init("bytes", .integer(bytes.count)),
            .init("fields", .array(fields)), .init("fault", fault.map { .string($0) } ?? .null),
        ])
    }
}
