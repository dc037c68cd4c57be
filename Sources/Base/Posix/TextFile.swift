/// Files of people and recorded lines: UTF-8, with or without the byte order mark of some editors.
package enum TextFile {
    /// Why a file can't be read as text.
    package enum Unreadable: Error, Hashable, Sendable, CustomStringConvertible {
        case system(Errno)
        case utf16
        case notText
        /// A pipe without a writer, or with a silent one.
        case silentPipe

        package var description: String {
            switch self {
            case .system(let error): error.description
            case .utf16: "it is UTF-16; save it as UTF-8"
            case .notText: "not a text file"
            case .silentPipe:
                "it is a pipe that has sent nothing for 5 s; start its writer, or name a file"
            }
        }
    }

    /// U+FEFF in UTF-8, and in UTF-16 of both byte orders (The Unicode Standard, section 23.8).
    package static let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    private static let wideMarks: [[UInt8]] = [[0xff, 0xfe], [0xfe, 0xff]]

    /// The first bytes of a text: at most one more than `maxBytes`, so that the caller notices a longer one.
    package static func contents(of path: String, maxBytes: Int) throws(Unreadable) -> [UInt8] {
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try File.contents(of: path, maxBytes: maxBytes + mark.count)
        } catch {
            throw unreadable(error)
        }
        return try text(bytes, maxBytes)
    }

    /// - Parameters:
    ///   - standardInput: the path that stands for standard input.
    ///   - waits: whether it waits for the writer of a named pipe.
    package static func open(
        _ path: String, standardInput: String? = nil, waits: Bool = true
    ) throws(Unreadable) -> Descriptor {
        do throws(Errno) {
            return try path == standardInput
                ? .standardInput() : .open(reading: path, waits: waits)
        } catch {
            throw .system(error)
        }
    }

    /// - Parameter patience: how long a pipe may send nothing; `nil` waits without limit.
    package static func contents(
        of file: borrowing Descriptor, maxBytes: Int, patience: Duration? = nil
    ) throws(Unreadable) -> [UInt8] {
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try File.contents(
                of: file, maxBytes: maxBytes + mark.count, patience: patience)
        } catch {
            throw unreadable(error)
        }
        return try text(bytes, maxBytes)
    }

    private static func unreadable(_ error: Errno) -> Unreadable {
        error == .timedOut ? .silentPipe : .system(error)
    }

    private static func text(_ bytes: [UInt8], _ maxBytes: Int) throws(Unreadable) -> [UInt8] {
        try checkMark(of: bytes[...])
        guard isText(bytes) else { throw .notText }
        return Array(withoutMark(bytes[...]).prefix(maxBytes + 1))
    }

    /// Refuses the beginning of a file in UTF-16.
    package static func checkMark(of beginning: ArraySlice<UInt8>) throws(Unreadable) {
        if wideMarks.contains(where: beginning.starts(with:)) { throw .utf16 }
    }

    package static func withoutMark(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text.starts(with: mark) ? text.dropFirst(mark.count) : text
    }

    /// Text in another encoding is text; its reader names the line that is not UTF-8.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        if bytes.contains(0) { return false }
        let isControl = { (byte: UInt8) in byte < 0x20 && !(0x09...0x0d).contains(byte) }
        return !bytes.contains(where: isControl) || String(validating: bytes, as: UTF8.self) != nil
    }
}
