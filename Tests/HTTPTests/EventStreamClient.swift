import Foundation

/// A reader of event streams by the rules of the standard (WHATWG HTML, section 9.2.6).
struct EventStreamClient {
    struct Event: Equatable {
        var id = ""
        var name = ""
        var data = ""
    }

    private(set) var events: [Event] = []
    private(set) var comments = 0
    private(set) var retry: Int?

    /// Reads a body. An event without its empty line is none.
    init(_ text: String) {
        var event = Event()
        var id = ""
        var lines: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if line.isEmpty {
                event.id = id
                event.data = lines.joined(separator: "\n")
                if !lines.isEmpty { events.append(event) }
                event = Event()
                lines = []
                continue
            }
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            var value = line[colon...].dropFirst()
            if value.first == " " { value = value.dropFirst() }
            switch line[..<colon] {
            case "": comments += 1
            case "id": id = String(value)
            case "event": event.name = String(value)
            case "data": lines.append(String(value))
            case "retry": retry = Int(value)
            default: break
            }
        }
    }

    /// Reads what a connection has received so far.
    init(_ client: RawClient) {
        let bytes = client.received
        let head = client.text.range(of: "\r\n\r\n").map {
            client.text.utf8.distance(from: client.text.startIndex, to: $0.upperBound)
        }
        let body = head.map { RawResponse.decodeChunks(bytes[$0...]).0 } ?? []
        self.init(String(decoding: body, as: UTF8.self))
    }
}
