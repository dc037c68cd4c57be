/// Strings of C, with a NULL behind them.
final class CStrings {
    let pointers: [UnsafePointer<CChar>?]

    init(_ texts: [String]) {
        pointers =
            texts.map { text in
                let bytes = Array(text.utf8CString)
                let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
                copy.initialize(from: bytes, count: bytes.count)
                return UnsafePointer(copy)
            } + [nil]
    }

    deinit { for pointer in pointers { pointer?.deallocate() } }
}

/// Gives the place of each value to `body`.
func withPointers<Result>(
    _ values: [[UInt8]], _ body: ([UnsafePointer<CChar>?]) -> Result
) -> Result {
    var all: [UInt8] = []
    all.reserveCapacity(values.reduce(1) { $0 + $1.count })
    var starts: [Int] = []
    for value in values {
        starts.append(all.count)
        all += value
    }
    // An empty value needs a place too: NULL is none.
    all.append(0)
    return all.withUnsafeBytes { buffer in
        body(
            starts.map { start in
                buffer.baseAddress.map { ($0 + start).assumingMemoryBound(to: CChar.self) }
            })
    }
}
