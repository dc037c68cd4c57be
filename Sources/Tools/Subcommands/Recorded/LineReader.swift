import Posix

/// The lines of a file or of standard input, one by one.
final class LineReader {
    private let file: Descriptor
    private var pending: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    private var chunk = [UInt8](repeating: 0, count: 262_144)
    /// The number of the line that was read last, from 1.
    private(set) var number = 0

    /// A longer line than any message is a fault of the file. It is cut.
    private static let longest = 16 << 20

    /// - Parameter path: `-` is standard input.
    init(path: String) throws(TextFile.Unreadable) {
        file = try TextFile.open(path, standardInput: "-")
    }

    /// The next line without its line feed; `nil` at the end. Each of several files that were joined may begin with a
    /// byte order mark.
    func next() throws(TextFile.Unreadable) -> ArraySlice<UInt8>? {
        let line: ArraySlice<UInt8>?
        do throws(Errno) { line = try nextLine() } catch { throw .system(error) }
        guard let line else { return nil }
        if number == 1 { try TextFile.checkMark(of: line) }
        return TextFile.withoutMark(line)
    }

    private func nextLine() throws(Errno) -> ArraySlice<UInt8>? {
        var searched = start
        while true {
            if let end = pending[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                number += 1
                return pending[start..<end]
            }
            if isAtEnd || pending.count - start > Self.longest {
                guard start < pending.count else { return nil }
                defer { start = pending.count }
                number += 1
                return pending[start...]
            }
            searched = pending.count - start
            try fill()
        }
    }

    private func fill() throws(Errno) {
        pending.removeFirst(start)
        start = 0
        let number = file.rawValue
        var read: Int?
        while true {
            read = try chunk.withUnsafeMutableBytes { Descriptor.read(number, into: $0) }.get()
            if read != nil { break }
            // Standard input may be non-blocking.
            _ = try Poll.wait(for: [Poll.Interest(number)])
        }
        let count = read ?? 0
        isAtEnd = count == 0
        pending += chunk.prefix(count)
    }
}
