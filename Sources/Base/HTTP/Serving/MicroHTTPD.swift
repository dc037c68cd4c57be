import CMicroHTTP
import Glibc
import Posix
import Primitives

/// A connection of the daemon. It is valid until it is closed.
struct MicroHTTPConnection {
    fileprivate let pointer: OpaquePointer

    var socket: CInt { sightline_http_socket(pointer) }

    /// The daemon serves a resting connection again, in its next run.
    func resume() { MHD_resume_connection(pointer) }

    /// The fields of the request, as they came, without blanks around their values (RFC 9110, section 5.5).
    func headers() -> Headers {
        var headers = Headers()
        withUnsafeMutablePointer(to: &headers) { headers in
            sightline_http_headers(
                pointer,
                { context, _, name, nameCount, value, valueCount in
                    let headers = context?.assumingMemoryBound(to: Headers.self)
                    let blanks = sightline_http_blanks(value, valueCount)
                    headers?.pointee.add(
                        text(name, nameCount), text(value, valueCount - blanks))
                    return .YES
                }, headers)
        }
        return headers
    }

    /// Answers the request; false when the daemon does not accept the answer.
    func send(_ status: Status, _ headers: Headers, _ body: [UInt8]) -> Bool {
        queue(
            status, headers,
            body.withUnsafeBytes { sightline_http_response($0.baseAddress, $0.count) })
    }

    /// Answers the request with what `reader` returns from time to time.
    ///
    /// - Parameter size: the bytes of the whole body; `nil` if unknown.
    /// - Parameter onSending: gets the number of bytes of each piece, when the client has taken the one before.
    func send(
        _ status: Status, _ headers: Headers, _ reader: any BodyReader, size: Int? = nil,
        _ onSending: @escaping (Int) -> Void
    ) -> Bool {
        let source = Unmanaged.passRetained(StreamSource(reader, self, onSending))
        return queue(
            status, headers,
            sightline_http_stream(
                Int64(size ?? -1),
                { context, _, bytes, limit in StreamSource.read(context, bytes, limit) },
                source.toOpaque(),
                { context in context.map { Unmanaged<StreamSource>.fromOpaque($0).release() } }))
    }

    private func queue(_ status: Status, _ headers: Headers, _ response: OpaquePointer?) -> Bool {
        guard let response else { return false }
        defer { MHD_destroy_response(response) }
        for field in headers.fields { MHD_add_response_header(response, field.name, field.value) }
        return MHD_queue_response(pointer, UInt32(status.rawValue), response) == .YES
    }
}

/// What a streaming response's reader and its connection are to each other. The response retains it.
private final class StreamSource {
    private let reader: any BodyReader
    private let connection: MicroHTTPConnection
    private let onSending: (Int) -> Void

    init(
        _ reader: any BodyReader, _ connection: MicroHTTPConnection,
        _ onSending: @escaping (Int) -> Void
    ) {
        self.reader = reader
        self.connection = connection
        self.onSending = onSending
    }

    static func read(
        _ context: UnsafeMutableRawPointer?, _ bytes: UnsafeMutablePointer<CChar>?, _ limit: Int
    ) -> Int {
        guard let context, let bytes else { return sightline_http_end_with_error }
        let source = Unmanaged<StreamSource>.fromOpaque(context).takeUnretainedValue()
        let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: limit)
        switch source.reader.read(into: buffer) {
        case .bytes(let count):
            source.onSending(count)
            return count
        case .end: return sightline_http_end_of_stream
        case .failed: return sightline_http_end_with_error
        case .suspended:
            // Without this the daemon calls the reader again and again.
            MHD_suspend_connection(source.connection.pointer)
            return 0
        }
    }
}

/// A daemon of libmicrohttpd without threads, listeners and time-outs of its own. This file is the library's only caller.
final class MicroHTTPD {
    private let daemon: OpaquePointer
    private let callbacks: UnsafeMutablePointer<sightline_http_callbacks>
    /// The callbacks' context, which therefore lives longer than the daemon.
    private let exchanges: Exchanges

    /// Gets ready when `run` has work.
    let descriptor: CInt

    /// - Parameter connections: the largest number of connections.
    /// - Parameter memory: the bytes for one connection's headers and buffers.
    init?(connections: Int, memory: Int, exchanges: Exchanges) {
        let callbacks = UnsafeMutablePointer<sightline_http_callbacks>.allocate(capacity: 1)
        callbacks.initialize(to: Self.callbacks(of: exchanges))
        guard
            let daemon = sightline_http_start(callbacks, UInt32(clamping: connections), memory)
        else {
            callbacks.deallocate()
            return nil
        }
        self.daemon = daemon
        self.callbacks = callbacks
        self.exchanges = exchanges
        descriptor = sightline_http_epoll(daemon)
    }

    /// Ends all connections. Resting ones must go on before, which takes a run.
    deinit {
        exchanges.endStreams()
        MHD_run(daemon)
        MHD_stop_daemon(daemon)
        callbacks.deallocate()
    }

    /// Serves a connection, and owns its descriptor from now on; false when it has closed it.
    func add(_ descriptor: CInt, isUnix: Bool) -> Bool {
        // The daemon only needs to know the family: whether the socket is one of TCP.
        var address = sockaddr_in()
        address.sin_family = sa_family_t(isUnix ? AF_UNIX : AF_INET)
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                MHD_add_connection(
                    daemon, descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == .YES
            }
        }
    }

    /// Does what can be done without waiting.
    func run() { MHD_run(daemon) }

    /// When it wants to run, even without an event.
    var timeout: Duration? {
        let milliseconds = sightline_http_timeout(daemon)
        return milliseconds < 0 ? nil : .milliseconds(milliseconds)
    }

    private static func callbacks(of exchanges: Exchanges) -> sightline_http_callbacks {
        sightline_http_callbacks(
            context: Unmanaged.passUnretained(exchanges).toOpaque(),
            log: { context, line in
                guard let line else { return }
                owner(context)?.log(String(cString: line))
            },
            closed: { context, connection in
                guard let connection else { return }
                owner(context)?.closed(MicroHTTPConnection(pointer: connection))
            },
            began: { context, connection, target in
                guard let connection, let target else { return }
                let bytes = Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
                owner(context)?.began(MicroHTTPConnection(pointer: connection), target: bytes)
            },
            headers: { context, connection, method, isWhole in
                guard let connection, let method, let exchanges = owner(context) else {
                    return 0
                }
                return exchanges.headersArrived(
                    MicroHTTPConnection(pointer: connection), method: String(cString: method),
                    areWhole: isWhole != 0) ? 1 : 0
            },
            advanced: { context, connection, bytes, count in
                guard let connection, let exchanges = owner(context) else { return 0 }
                let handle = MicroHTTPConnection(pointer: connection)
                if count == 0 { return exchanges.requestArrived(handle) ? 1 : 0 }
                let part = UnsafeRawBufferPointer(start: bytes, count: count)
                return exchanges.bodyArrived(handle, part) ? 1 : 0
            },
            ended: { context, connection in
                guard let connection else { return }
                owner(context)?.ended(MicroHTTPConnection(pointer: connection))
            })
    }
}

private func owner(_ context: UnsafeMutableRawPointer?) -> Exchanges? {
    context.map { Unmanaged<Exchanges>.fromOpaque($0).takeUnretainedValue() }
}

private func text(_ bytes: UnsafePointer<CChar>?, _ count: Int) -> String {
    String(
        decoding: UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count),
        as: UTF8.self)
}
