import Glibc
import Posix
import TestSupport

/// A client that sends any bytes, and reads responses by RFC 9112 on its own.
final class RawClient {
    private var descriptor: Descriptor?
    let number: CInt
    private var outgoing: [UInt8] = []
    private(set) var received: [UInt8] = []
    private(set) var isClosed = false
    /// Whether it takes what the server sends.
    var isReading = true

    init(_ address: Sockets.Address) throws {
        BrokenPipes.ignore()
        let descriptor = try Sockets.connect(to: address)
        number = descriptor.rawValue
        self.descriptor = consume descriptor
    }

    func close() {
        descriptor = nil
        isClosed = true
    }

    /// Forgets what was received.
    func forget() { received = [] }

    var interest: Poll.Interest {
        var events: Poll.Events = []
        if isReading { events.insert(.input) }
        if !outgoing.isEmpty { events.insert(.output) }
        return Poll.Interest(number, events)
    }

    var text: String { String(decoding: received, as: UTF8.self) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        outgoing += bytes
        write()
    }

    func finishSending() { Sockets.shutDown(number, writing: true) }

    func exchange() {
        write()
        guard isReading else { return }
        var buffer = [UInt8](repeating: 0, count: 65536)
        while !isClosed {
            switch buffer.withUnsafeMutableBytes({ Descriptor.read(number, into: $0) }) {
            case .success(nil): return
            case .success(.some(let count)):
                received += buffer.prefix(count)
                if count == 0 { isClosed = true }
            case .failure: isClosed = true
            }
        }
    }

    private func write() {
        while !outgoing.isEmpty {
            let count = Glibc.write(number, outgoing, outgoing.count)
            guard count > 0 else {
                if errno != EAGAIN { outgoing = [] }
                return
            }
            outgoing.removeFirst(count)
        }
    }

    /// Removes the first complete response from what was received.
    func takeResponse() -> RawResponse? {
        guard let (response, count) = RawResponse.parse(received, isEnd: isClosed) else {
            return nil
        }
        received.removeFirst(count)
        return response
    }
}
