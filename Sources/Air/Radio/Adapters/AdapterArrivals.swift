import Posix

/// Reports adapters that appear or come up while the radio is closed.
package protocol AdapterArrivals: AnyObject {
    /// Becomes readable when `take` has something to report.
    var descriptor: CInt { get }

    /// Whether an adapter has appeared or come up since the last call.
    func take() -> Bool
}

/// The kernel's notices about all adapters.
package final class KernelArrivals: AdapterArrivals {
    private let socket: HCISocket
    private let isExclusive: Bool
    private var buffer = [UInt8](repeating: 0, count: 64)

    /// - Parameter exclusive: whether the agent waits for an adapter that is down.
    package init(exclusive: Bool) throws(Errno) {
        isExclusive = exclusive
        socket = try HCISocket(device: nil, channel: .raw)
        try socket.filter(events: [HCISocket.noticeEvent])
    }

    package var descriptor: CInt { socket.descriptor.rawValue }

    package func take() -> Bool {
        var hasArrived = false
        let number = descriptor
        while case .success(let count?) = buffer.withUnsafeMutableBytes({
            Descriptor.read(number, into: $0)
        }), count > 0 {
            hasArrived =
                buffer.withUnsafeBytes {
                    HCISocket.isArrival(
                        UnsafeRawBufferPointer(rebasing: $0[..<count]), exclusive: isExclusive)
                } || hasArrived
        }
        return hasArrived
    }
}
