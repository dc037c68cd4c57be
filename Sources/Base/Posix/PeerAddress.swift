import Glibc

/// The address of a stream socket's peer.
package struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
    /// A numeric address, e.g. `192.0.2.7` or `2001:db8::7`; `unix` for a Unix socket.
    package let description: String
    /// What the limits of one client apply to: an IPv4 address, the /64 of an IPv6 address, or all Unix sockets.
    package let group: String

    package static let unix = PeerAddress(description: "unix", group: "unix")

    private init(description: String, group: String) {
        self.description = description
        self.group = group
    }

    package var isUnix: Bool { self == .unix }

    /// Whether the peer is a program of this machine.
    package var isLocal: Bool {
        isUnix || description == "::1" || description.hasPrefix("127.")
    }

    /// Reads a numeric address; `nil` for anything else (inet_pton(3)).
    package init?(_ text: String) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(description: text, group: text)
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            self.init(six)
        } else {
            return nil
        }
    }

    /// Reads what accept(2) stored.
    fileprivate init(_ storage: sockaddr_storage) {
        self = withUnsafeBytes(of: storage) { bytes in
            switch CInt(storage.ss_family) {
            case AF_INET:
                let text = Self.text(
                    AF_INET, bytes.loadUnaligned(as: sockaddr_in.self).sin_addr)
                return PeerAddress(description: text, group: text)
            case AF_INET6:
                return PeerAddress(bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
            default: return .unix
            }
        }
    }

    private init(_ address: in6_addr) {
        let bytes = withUnsafeBytes(of: address) { Array($0) }
        // ::ffff:0:0/96: an IPv4 client of a socket for both (RFC 4291, section 2.5.5.2).
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff {
            let text = bytes.suffix(4).map { String($0) }.joined(separator: ".")
            self.init(description: text, group: text)
            return
        }
        var network = in6_addr()
        withUnsafeMutableBytes(of: &network) { $0.copyBytes(from: bytes.prefix(8)) }
        self.init(
            description: Self.text(AF_INET6, address), group: Self.text(AF_INET6, network) + "/64")
    }

    private static func text<Address>(_ family: CInt, _ address: Address) -> String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let count = socklen_t(text.count)
        _ = withUnsafePointer(to: address) { inet_ntop(family, $0, &text, count) }
        return String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension Sockets {
    /// A caller that a listening socket has accepted. Its owner closes the socket, or hands its number on.
    package struct Caller: Sendable {
        package let address: PeerAddress
        package let number: CInt

        /// Writes what the socket has room for, and closes it. Reads first what has arrived: closing a socket with unread
        /// bytes would discard the answer.
        package func close(writing bytes: [UInt8]) {
            var arrived = [UInt8](repeating: 0, count: 4096)
            _ = send(number, bytes, bytes.count, CInt(MSG_NOSIGNAL))
            Sockets.shutDown(number, writing: true)
            _ = recv(number, &arrived, arrived.count, 0)
            _ = Glibc.close(number)
        }
    }

    /// The next caller with its address; `nil` when there is none (accept(2)).
    package static func acceptCaller(on listener: CInt) throws(Errno) -> Caller? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let number: CInt
        do throws(Errno) {
            number = try retryingInterrupts {
                withUnsafeMutablePointer(to: &storage) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        Glibc.accept(listener, $0, &size)
                    }
                }
            }
        } catch {
            guard error == .wouldBlock else { throw error }
            return nil
        }
        do throws(Errno) {
            try setFlags(number)
        } catch {
            _ = Glibc.close(number)
            throw error
        }
        return Caller(address: PeerAddress(storage), number: number)
    }

    /// Removes a Unix socket's file.
    package static func removeFile(_ path: String) { unlink(path) }

    /// Removes the file of a Unix socket without a listener, as a killed program leaves it. A file of another kind stays:
    /// the kernel refuses connections to it as well.
    package static func removeAbandoned(_ path: String) {
        do throws(Errno) {
            guard try FilePermissions(of: path).isSocket else { return }
            _ = try connect(to: .unix(path: path))
        } catch {
            if error == .connectionRefused { removeFile(path) }
        }
    }

    /// Ends a connection; the descriptor stays open (shutdown(2)).
    package static func shutDown(_ descriptor: CInt, writing: Bool = false) {
        _ = Glibc.shutdown(descriptor, CInt(writing ? SHUT_WR : SHUT_RDWR))
    }
}
