import Glibc

/// Stream sockets.
package enum Sockets {
    /// Where a stream socket leads.
    package enum Address: Equatable, Sendable, CustomStringConvertible {
        case unix(path: String)
        case tcp(host: String, port: UInt16)

        package var description: String {
            switch self {
            case .unix(let path): "unix:\(path)"
            case .tcp(let host, let port): "tcp:\(host):\(port)"
            }
        }
    }

    /// One address of a host's name.
    package struct ResolvedAddress: Sendable {
        fileprivate let family: CInt
        /// A `sockaddr` of the family.
        fileprivate let bytes: [UInt8]
    }

    /// How long a peer may take to answer, in milliseconds.
    private static let answerTimeout = 2000

    /// Connects within two seconds, besides what resolving a name takes; the descriptor is non-blocking (connect(2)).
    package static func connect(to address: Address) throws(Errno) -> Descriptor {
        switch address {
        case .unix(let path):
            return try open(family: AF_UNIX, unixAddress(path), Glibc.connect)
        case .tcp(let host, let port):
            return try connect(toAnyOf: resolve(host, port))
        }
    }

    /// Connects to the first address that accepts, within two seconds for each; the descriptor is non-blocking.
    package static func connect(
        toAnyOf addresses: [ResolvedAddress]
    ) throws(Errno) -> Descriptor {
        try withEach(addresses) { family, bytes throws(Errno) in
            try open(family: family, bytes, Glibc.connect)
        }
    }

    /// The addresses that a host's name has, in numbers; none when it does not resolve (getaddrinfo(3)).
    package static func addresses(of host: String) -> [String] {
        var addresses: [String] = []
        _ = try? withEach(resolve(host, 0)) { _, bytes throws(Errno) -> Descriptor in
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let result = bytes.withUnsafeBytes { address in
                address.withMemoryRebound(to: sockaddr.self) {
                    getnameinfo(
                        $0.baseAddress, socklen_t(bytes.count), &text, socklen_t(text.count), nil,
                        0, NI_NUMERICHOST)
                }
            }
            let name = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            if result == 0 { addresses.append(String(decoding: name, as: UTF8.self)) }
            // To be given the next one.
            throw .noSuchDeviceOrAddress
        }
        return addresses
    }

    /// Listens; a TCP port of 0 lets the kernel choose one (bind(2), listen(2)).
    ///
    /// - Parameter backlog: the number of callers that the kernel keeps until they are accepted.
    /// - Parameter mode: the access rights of a Unix socket's file; `nil` leaves them to the umask.
    package static func listen(
        on address: Address, backlog: CInt = 16, mode: UInt32? = nil
    ) throws(Errno) -> Descriptor {
        let descriptor: Descriptor
        switch address {
        case .unix(let path):
            descriptor = try open(family: AF_UNIX, unixAddress(path), Glibc.bind)
            if let mode { _ = try retryingInterrupts { chmod(path, mode) } }
        case .tcp(let host, let port):
            descriptor = try withEach(resolve(host, port)) { family, bytes throws(Errno) in
                try open(family: family, bytes, Glibc.bind)
            }
        }
        let number = descriptor.rawValue
        _ = try retryingInterrupts { Glibc.listen(number, backlog) }
        return descriptor
    }

    /// The next caller of a listening socket; `nil` when there is none (accept4(2)).
    package static func accept(on listener: borrowing Descriptor) throws(Errno) -> Descriptor? {
        let number = listener.rawValue
        let caller: CInt
        do throws(Errno) {
            caller = try retryingInterrupts { Glibc.accept(number, nil, nil) }
        } catch {
            guard error == .wouldBlock else { throw error }
            return nil
        }
        let descriptor = Descriptor(owning: caller)
        try setFlags(caller)
        return descriptor
    }

    /// Two ends of one stream (socketpair(2)).
    package static func pair() throws(Errno) -> (CInt, CInt) {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        _ = try retryingInterrupts { socketpair(AF_UNIX, kind, 0, &ends) }
        return (ends[0], ends[1])
    }

    /// The address of a connected socket's peer; `nil` without one (getpeername(2)).
    package static func peer(of descriptor: CInt) -> ResolvedAddress? {
        var bytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_storage>.size)
        var size = socklen_t(bytes.count)
        let result = bytes.withUnsafeMutableBytes {
            $0.withMemoryRebound(to: sockaddr.self) {
                getpeername(descriptor, $0.baseAddress, &size)
            }
        }
        guard result == 0, size >= MemoryLayout<sa_family_t>.size else { return nil }
        let family = bytes.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) }
        return ResolvedAddress(family: CInt(family), bytes: Array(bytes.prefix(Int(size))))
    }

    /// The port that a listening TCP socket got.
    package static func port(of listener: borrowing Descriptor) throws(Errno) -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let number = listener.rawValue
        _ = try retryingInterrupts {
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(number, $0, &size)
                }
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    static func setFlags(_ descriptor: CInt) throws(Errno) {
        _ = try retryingInterrupts { fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        _ = try retryingInterrupts { fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }

    private typealias Opening = (CInt, UnsafePointer<sockaddr>?, socklen_t) -> CInt

    private static func open(
        family: CInt, _ address: [UInt8], _ call: Opening
    ) throws(Errno) -> Descriptor {
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = try Descriptor(from: { socket(family, kind, 0) })
        let number = descriptor.rawValue
        var yes: CInt = 1
        setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        let result = address.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                call(number, $0.baseAddress, socklen_t(address.count))
            }
        }
        guard result == -1 else { return descriptor }
        let error = Errno.current
        // Interrupted or not, the kernel goes on connecting; asking again would be an error.
        guard error == .inProgress || error == .interrupted else { throw error }
        try awaitConnection(number)
        return descriptor
    }

    private static func awaitConnection(_ descriptor: CInt) throws(Errno) {
        let interest = Poll.Interest(descriptor, .output)
        guard try !Poll.wait(for: [interest], timeout: answerTimeout)[0].isEmpty else {
            throw .timedOut
        }
        var outcome: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        _ = try retryingInterrupts {
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &outcome, &size)
        }
        if outcome != 0 { throw Errno(rawValue: outcome) }
    }

    private static func unixAddress(_ path: String) throws(Errno) -> [UInt8] {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < room else { throw Errno(rawValue: ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafeBytes(of: address) { Array($0) }
    }

    /// The addresses that a name resolves to, none when it does not resolve; blocks meanwhile (getaddrinfo(3)).
    ///
    /// - Parameter isNumeric: whether only a numeric address resolves, without a wait.
    package static func resolve(
        _ host: String, _ port: UInt16, isNumeric: Bool = false
    ) -> [ResolvedAddress] {
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        if isNumeric { hints.ai_flags = AI_NUMERICHOST }
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [ResolvedAddress] = []
        var entry = list
        while let candidate = entry?.pointee {
            entry = candidate.ai_next
            let bytes = UnsafeRawBufferPointer(
                start: candidate.ai_addr, count: Int(candidate.ai_addrlen))
            addresses.append(ResolvedAddress(family: candidate.ai_family, bytes: [UInt8](bytes)))
        }
        return addresses
    }

    /// Tries each address; throws the last one's error.
    private static func withEach(
        _ addresses: [ResolvedAddress],
        _ use: (CInt, [UInt8]) throws(Errno) -> Descriptor
    ) throws(Errno) -> Descriptor {
        var failure = Errno(rawValue: EHOSTUNREACH)
        for address in addresses {
            do { return try use(address.family, address.bytes) } catch { failure = error }
        }
        throw failure
    }
}
