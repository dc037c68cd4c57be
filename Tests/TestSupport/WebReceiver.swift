import Posix
import Primitives

/// A program of the web that answers one request after the other with these words, and keeps the requests.
package final class WebReceiver: Sendable {
    package let port: UInt16
    private let requests = Guarded<[String]>([])

    package init(_ answers: [String]) throws {
        let listener = try Sockets.listen(on: .tcp(host: "127.0.0.1", port: 0))
        port = try Sockets.port(of: listener)
        let (requests, owned) = (requests, listener.leaveOpen())
        let thread = try Posix.Thread(name: "receiver") {
            let listener = Descriptor(owning: owned)
            for answer in answers {
                _ = try? Poll.wait(for: [Poll.Interest(listener.rawValue)])
                guard let caller = try? Sockets.accept(on: listener) else { return }
                let text = Self.request(of: caller)
                try? caller.writeAll(Array(answer.utf8))
                requests.withLock { $0.append(text) }
            }
        }
        thread.detach()
    }

    /// Reads up to the end of the JSON document, or of a head without one.
    private static func request(of caller: borrowing Descriptor) -> String {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        let number = caller.rawValue
        let isWhole = { (text: String) in
            text.hasSuffix("}") || text.hasSuffix("\r\n\r\n") && !text.hasPrefix("POST")
        }
        while !isWhole(text) {
            _ = try? Poll.wait(for: [Poll.Interest(number)])
            let result = buffer.withUnsafeMutableBytes { Descriptor.read(number, into: $0) }
            guard case .success(let count?) = result, count > 0 else { break }
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
        return text
    }

    package func wait(for count: Int) -> [String] {
        let deadline = Deadline()
        while requests.withLock({ $0.count }) < count, !deadline.hasPassed {
            _ = try? Poll.wait(for: [], timeout: 10)
        }
        return requests.withLock { $0 }
    }
}
