/// What the connection reads the body of a response from, whenever its client has taken what came before.
protocol BodyReader: AnyObject {
    func read(into buffer: UnsafeMutableRawBufferPointer) -> StreamReader.Result
}

extension StreamReader: BodyReader {}

/// A body that is sent in parts. Between two of them, the owner's loop goes on and serves other clients.
final class PartReader: BodyReader {
    private let next: () throws(Problem) -> [UInt8]?
    private var rest: ArraySlice<UInt8> = []

    /// A body that is there.
    init(_ bytes: [UInt8]) {
        next = { () throws(Problem) in nil }
        rest = bytes[...]
    }

    init(_ next: @escaping () throws(Problem) -> [UInt8]?) { self.next = next }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> StreamReader.Result {
        while rest.isEmpty {
            do throws(Problem) {
                guard let part = try next() else { return .end }
                rest = part[...]
            } catch {
                // The status has gone already: the client sees that the body has no end.
                return .failed
            }
        }
        let bytes = rest.prefix(buffer.count)
        buffer[..<bytes.count].copyBytes(from: bytes)
        rest = rest.dropFirst(bytes.count)
        return .bytes(bytes.count)
    }
}
