import Glibc
import Posix
import TestSupport

/// A wire between one MQTT client and a broker. It holds the client's first PUBLISH, and all bytes after it in both
/// directions, until `release`.
final class HeldWire {
    let port: UInt16
    private let state: State
    private let stopping: EventCounter
    private let releasing: EventCounter
    private var thread: Posix.Thread?

    private final class State: Sendable {
        let isHolding = Guarded(false)
    }

    init(to broker: Broker) throws {
        BrokenPipes.ignore()
        let listener = try Sockets.listen(on: .tcp(host: "127.0.0.1", port: 0))
        port = try Sockets.port(of: listener)
        stopping = try EventCounter()
        releasing = try EventCounter()
        state = State()
        let numbers = [
            listener.rawValue, stopping.descriptor.rawValue, releasing.descriptor.rawValue,
        ]
        .map { dup($0) }
        let target = broker.port
        thread = try Thread(name: "held wire") { [state] in
            let listener = Descriptor(owning: numbers[0])
            let stop = Descriptor(owning: numbers[1])
            let release = Descriptor(owning: numbers[2])
            let interests = [Poll.Interest(listener.rawValue), Poll.Interest(stop.rawValue)]
            guard let ready = try? Poll.wait(for: interests), ready[1].isEmpty,
                let client = try? Sockets.accept(on: listener),
                let broker = try? Sockets.connect(to: .tcp(host: "127.0.0.1", port: target))
            else { return }
            Self.serve(client, broker, stop: stop.rawValue, release: release.rawValue, state)
        }
    }

    deinit {
        stopping.signal()
        thread.take()?.join()
    }

    /// Waits until the client's first PUBLISH is held.
    func waitUntilHolding() throws {
        guard Deadline.wait(until: { state.isHolding.withLock { $0 } }) else {
            throw TestFailure("no PUBLISH in time")
        }
    }

    func release() { releasing.signal() }

    private static func serve(
        _ client: borrowing Descriptor, _ broker: borrowing Descriptor, stop: CInt, release: CInt,
        _ state: State
    ) {
        var pending: [UInt8] = []
        var isReleased = false
        while true {
            let isHolding = state.isHolding.withLock { $0 }
            let numbers = isHolding && !isReleased ? [] : [client.rawValue, broker.rawValue]
            let interests = ([stop, release] + numbers).map { Poll.Interest($0) }
            guard let ready = try? Poll.wait(for: interests), ready[0].isEmpty else { return }
            if !isReleased, !ready[1].isEmpty {
                isReleased = true
                guard (try? broker.writeAll(pending)) != nil else { return }
                var count: UInt64 = 0
                _ = Glibc.read(release, &count, 8)
                continue
            }
            guard numbers.count == 2 else { continue }
            if !ready[3].isEmpty {
                guard let bytes = read(broker), (try? client.writeAll(bytes)) != nil else { return }
            }
            guard !ready[2].isEmpty else { continue }
            guard let bytes = read(client) else { return }
            guard !isReleased else {
                guard (try? broker.writeAll(bytes)) != nil else { return }
                continue
            }
            pending += bytes
            while let packet = next(in: pending) {
                if packet[0] >> 4 == 3 {
                    state.isHolding.withLock { $0 = true }
                    break
                }
                guard (try? broker.writeAll(packet)) != nil else { return }
                pending.removeFirst(packet.count)
            }
        }
    }

    /// The received bytes; `nil` at the end.
    private static func read(_ descriptor: borrowing Descriptor) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let read = chunk.withUnsafeMutableBytes { try? descriptor.read(into: $0) }
        guard let count = read, count > 0 else { return nil }
        return Array(chunk.prefix(count))
    }

    /// The first complete packet (MQTT 5.0 section 2.1).
    private static func next(in bytes: [UInt8]) -> [UInt8]? {
        var length = 0
        for (index, byte) in bytes.dropFirst().prefix(4).enumerated() {
            length |= Int(byte & 0x7f) << (7 * index)
            guard byte & 0x80 == 0 else { continue }
            let end = 2 + index + length
            return bytes.count >= end ? Array(bytes.prefix(end)) : nil
        }
        return nil
    }
}
