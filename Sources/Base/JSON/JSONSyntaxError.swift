/// Why a text is invalid JSON, and where.
package struct JSONSyntaxError: Error, Equatable, Sendable {
    /// `invalidJSON`, `tooLarge`, or `outOfRange` for a number that nothing here can hold.
    package let code: Fault.Code
    /// The value that contains the fault, if known.
    package let pointer: JSONPointer
    /// From 1.
    package let line: Int
    /// From 1, in Unicode scalars.
    package let column: Int
    /// One sentence, without the position and without a full stop.
    package let sentence: String

    /// The position of `fault` in the text as it came.
    init(_ fault: JSONFault, in text: [UInt8]) {
        var line = 1
        var column = 1
        for byte in text.prefix(max(0, fault.offset)) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xc0 != 0x80 {
                // Continuation bytes belong to the scalar before them.
                column += 1
            }
        }
        self.line = line
        self.column = column
        code = fault.code
        pointer = fault.pointer
        sentence = fault.sentence
    }

    /// The same as a fault of the document.
    package var fault: Fault { Fault(pointer, code, "line \(line), column \(column): \(sentence)") }
}

/// A fault of a text, with its byte offset instead of line and column.
struct JSONFault: Error {
    enum Step { case key(String), index(Int) }

    let sentence: String
    /// The byte where it is wrong.
    let offset: Int
    let code: Fault.Code
    /// The way to the value that contains the fault, the last step first; `nil` when it is not known.
    private var way: [Step]?

    init(
        _ sentence: String, at offset: Int, code: Fault.Code = .invalidJSON, way: [Step]? = nil
    ) {
        self.sentence = sentence
        self.offset = offset
        self.code = code
        self.way = way
    }

    /// The same fault, in a value that is inside of another one.
    func inside(_ step: Step) -> JSONFault {
        var fault = self
        fault.way?.append(step)
        return fault
    }

    var pointer: JSONPointer {
        (way ?? []).reversed().reduce(.root) { pointer, step in
            switch step {
            case .key(let key): pointer.appending(key)
            case .index(let index): pointer.appending(index)
            }
        }
    }
}

extension [UInt8] {
    /// Where the bytes stop to be UTF-8 (RFC 3629: surrogates and overlong forms are invalid).
    var endOfUTF8: Int {
        var parser = Unicode.UTF8.ForwardParser()
        var rest = makeIterator()
        var offset = 0
        while case .valid(let scalar) = parser.parseScalar(from: &rest) { offset += scalar.count }
        return offset
    }
}
