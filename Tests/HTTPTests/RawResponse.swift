import JSON

/// A response, read by the rules of RFC 9112.
struct RawResponse {
    var status = 0
    var fields: [String: String] = [:]
    var body: [UInt8] = []

    var text: String { String(decoding: body, as: UTF8.self) }

    func json() throws -> JSON { try JSON(parsing: body, maxBytes: 1_000_000) }

    /// The first response in `bytes` and its length; `nil` when it is not complete.
    static func parse(_ bytes: [UInt8], isEnd: Bool) -> (RawResponse, Int)? {
        guard let headEnd = find("\r\n\r\n", in: bytes[...]) else { return nil }
        var response = RawResponse()
        let lines = String(decoding: bytes[..<headEnd], as: UTF8.self)
            .split(separator: "\r\n", omittingEmptySubsequences: false)
        response.status = Int(lines[0].split(separator: " ")[1]) ?? 0
        for line in lines.dropFirst() {
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            response.fields[line[..<colon].lowercased()] = String(
                line[colon...].dropFirst().drop { $0 == " " })
        }
        let start = headEnd + 4
        if response.status == 100 {
            return parse(Array(bytes[start...]), isEnd: isEnd).map { ($0, $1 + start) }
        }
        if response.status == 204 || response.status == 304 || response.fields["x-head"] != nil {
            return (response, start)
        }
        if let length = response.fields["content-length"].flatMap({ Int($0) }) {
            guard bytes.count >= start + length else { return nil }
            response.body = Array(bytes[start..<start + length])
            return (response, start + length)
        }
        if response.fields["transfer-encoding"] == "chunked" {
            return chunks(bytes[start...]).map {
                response.body = $0
                return (response, $1)
            }
        }
        guard isEnd else { return nil }
        response.body = Array(bytes[start...])
        return (response, bytes.count)
    }

    /// The data of a chunked body, and its end; `nil` when its end is missing.
    static func chunks(_ bytes: ArraySlice<UInt8>) -> ([UInt8], Int)? {
        let (data, rest, isComplete) = decodeChunks(bytes)
        return isComplete ? (data, rest) : nil
    }

    /// The data of the chunks that are complete.
    static func decodeChunks(_ bytes: ArraySlice<UInt8>) -> ([UInt8], Int, Bool) {
        var data: [UInt8] = []
        var place = bytes.startIndex
        while let line = find("\r\n", in: bytes[place...]) {
            let size = Int(String(decoding: bytes[place..<line], as: UTF8.self), radix: 16) ?? 0
            guard bytes.endIndex >= line + 2 + size + 2 else { break }
            if size == 0 { return (data, line + 4, true) }
            data += bytes[line + 2..<line + 2 + size]
            place = line + 2 + size + 2
        }
        return (data, place, false)
    }

    private static func find(_ text: String, in bytes: ArraySlice<UInt8>) -> Int? {
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return nil }
        return (bytes.startIndex...bytes.endIndex - wanted.count).first {
            bytes[$0..<$0 + wanted.count].elementsEqual(wanted)
        }
    }
}
