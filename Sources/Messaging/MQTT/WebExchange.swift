import Posix
import Primitives

/// A request to a server of the web, and its answer (RFC 9112), on a connection of its own.
package struct WebExchange: Sendable {
    package struct Answer: Equatable, Sendable {
        package let status: Int
        /// Empty if only the status was asked for.
        package let body: [UInt8]

        package init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }
    }

    /// Why there is no answer: words without a full stop.
    package struct Failure: Error, Equatable {
        package let sentence: String
        /// Whether nothing listens at the address.
        package var isUnreached = false
    }

    private let address: Sockets.Address
    /// `nil` without TLS.
    private let tls: TLSSettings?
    private let host: String
    /// Of the header `Host`.
    private let place: String

    /// "HTTP/1.1 204" (RFC 9112, section 4).
    private static let statusBytes = 12

    package init(_ address: WebAddress, caFile: String? = nil) {
        self.address = .tcp(host: address.host, port: address.port)
        (host, place) = (address.host, address.place)
        tls = address.isTLS ? TLSSettings(caFile: caFile) : nil
    }

    /// To a program of this machine.
    package init(local address: Sockets.Address) {
        (self.address, host, place, tls) = (address, "localhost", "localhost", nil)
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - maxBytes: of the answer; `nil` reads no further than its status.
    package func answer(
        _ method: String, _ path: String, headers: [String] = [], body: [UInt8] = [],
        maxBytes: Int?, until deadline: Instant
    ) throws(Failure) -> Answer {
        let stream = try stream(until: deadline)
        let length = method == "GET" ? [] : ["Content-Length: \(body.count)"]
        let head =
            ["\(method) \(path) HTTP/1.1", "Host: \(place)"] + headers + length
            + ["Connection: close", "", ""]
        guard stream.write(Array(head.joined(separator: "\r\n").utf8) + body, until: deadline)
        else { throw Failure(sentence: "no answer") }
        var bytes: [UInt8] = []
        while bytes.count < maxBytes ?? Self.statusBytes, let more = stream.read(until: deadline),
            !more.isEmpty
        { bytes += more }
        guard !bytes.isEmpty else { throw Failure(sentence: "no answer") }
        let answer = maxBytes == nil ? Answer(head: bytes) : Answer(bytes)
        guard let answer else { throw Failure(sentence: "the answer is not HTTP") }
        return answer
    }

    private func stream(until deadline: Instant) throws(Failure) -> any WireStream {
        let socket: Descriptor
        do throws(Errno) { socket = try Sockets.connect(to: address) } catch {
            throw Failure(sentence: "can't connect: \(error)", isUnreached: true)
        }
        guard let tls else { return PlainStream(socket) }
        let secured: TLSStream
        do throws(TLSStream.Failure) {
            secured = try TLSStream(socket, to: host, tls, until: deadline)
        } catch {
            switch error {
            case .file(let sentence): throw Failure(sentence: sentence)
            case .handshake(let words): throw Failure(sentence: "no TLS: \(words)")
            }
        }
        if let fault = secured.fault { throw Failure(sentence: "\(fault)") }
        return secured
    }
}

extension WebExchange.Answer {
    /// Reads a response: the status line, headers, and a body that ends with the connection.
    package init?(_ response: [UInt8]) {
        let separator = Array("\r\n\r\n".utf8)
        guard
            let end = response.indices.first(where: { response[$0...].starts(with: separator) })
        else { return nil }
        self.init(head: response, body: Array(response[(end + separator.count)...]))
    }

    fileprivate init?(head response: [UInt8], body: [UInt8] = []) {
        let line = response.prefix { $0 != UInt8(ascii: "\r") }
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard line.starts(with: Array("HTTP/1.".utf8)), words.count >= 2,
            let status = Int(String(decoding: words[1], as: UTF8.self))
        else { return nil }
        self.init(status: status, body: body)
    }
}
