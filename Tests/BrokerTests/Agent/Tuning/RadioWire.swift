import Glibc
import Posix
import TestSupport

/// A wire between an agent and its radio. It can hold an advertising command until the agent is gone.
///
/// It forwards complete packets, counts them, and serves one agent after the other.
final class RadioWire {
    let folder: TemporaryFolder
    private let shared: Shared
    private let stopping: EventCounter
    private var thread: Posix.Thread?

    private struct State {
        var commands = 0
        var agents = 0
        /// The number of the command to hold.
        var holdAt: Int?
        var isHolding = false
    }

    private final class Shared: Sendable {
        private let state = Guarded(State())
        /// Signals each change.
        private let changed: EventCounter

        init() throws { changed = try EventCounter() }

        func read<Value>(_ read: (State) -> Value) -> Value { state.withLock { read($0) } }

        func change(_ change: (inout State) -> Void) {
            state.withLock { change(&$0) }
            changed.signal()
        }

        func wait(for what: String, until happened: (State) -> Bool) throws {
            let deadline = Deadline()
            let interest = Poll.Interest(changed.descriptor.rawValue)
            while !read(happened) {
                guard !deadline.hasPassed else { throw TestFailure("no \(what) in time") }
                _ = try Poll.wait(for: [interest], timeout: deadline.milliseconds)
                changed.clear()
            }
        }
    }

    private enum Packet {
        static let command: UInt8 = 0x01
        /// LE Set Advertising Parameters, Data, Enable; and the extended ones (Bluetooth Core, vol 4 part E, 7.8).
        static let advertising: Set<UInt16> = [0x2006, 0x2008, 0x200a, 0x2036, 0x2037, 0x2039]
    }

    init(to radio: String) throws {
        BrokenPipes.ignore()
        folder = try TemporaryFolder()
        stopping = try EventCounter()
        shared = try Shared()
        let listener = try Self.listen(at: folder.file("hci"))
        let stop = dup(stopping.descriptor.rawValue)
        thread = try Thread(name: "radio wire") { [shared] in
            let listener = Descriptor(owning: listener)
            let stop = Descriptor(owning: stop)
            let interests = [Poll.Interest(listener.rawValue), Poll.Interest(stop.rawValue)]
            while let ready = try? Poll.wait(for: interests), ready[1].isEmpty {
                guard let agent = try? Sockets.accept(on: listener),
                    let radio = try? Sockets.connect(to: .unix(path: radio))
                else { continue }
                shared.change { $0.agents += 1 }
                Self.serve(agent, radio, until: stop, shared)
                // The radio closes after its last command.
                shutdown(radio.rawValue, CInt(SHUT_WR))
                Self.drain(radio)
                shared.change { $0.agents -= 1 }
            }
        }
    }

    deinit {
        stopping.signal()
        thread.take()?.join()
    }

    var source: String { "h4:unix:" + folder.file("hci") }

    /// The number of advertising commands.
    var commands: Int { shared.read { $0.commands } }

    /// Holds the advertising command with this number, counted from now. The radio gets it when the agent is gone.
    func hold(command number: Int) {
        shared.change { $0.holdAt = $0.commands + number }
    }

    func waitUntilHeld() throws { try shared.wait(for: "command to hold") { $0.isHolding } }

    /// Waits until the last agent's packets are forwarded.
    func waitUntilForwarded() throws {
        try shared.wait(for: "end") { $0.agents == 0 }
    }

    private static func listen(at path: String) throws -> CInt {
        let listener = try Sockets.listen(on: .unix(path: path))
        return dup(listener.rawValue)
    }

    private static func serve(
        _ agent: borrowing Descriptor, _ radio: borrowing Descriptor,
        until stop: borrowing Descriptor, _ shared: Shared
    ) {
        let interests = [agent.rawValue, radio.rawValue, stop.rawValue].map { Poll.Interest($0) }
        var commands: [UInt8] = []
        while let ready = try? Poll.wait(for: interests), ready[2].isEmpty {
            if !ready[1].isEmpty {
                guard let events = read(radio) else { return }
                do { try agent.writeAll(events) } catch { return }
            }
            guard !ready[0].isEmpty else { continue }
            guard let bytes = read(agent) else { return }
            commands += bytes
            while let packet = next(in: &commands) {
                if isAdvertising(packet) { count(from: agent, until: stop, shared) }
                do { try radio.writeAll(packet) } catch { return }
            }
        }
    }

    /// Counts a command. The one to hold waits for the end of the agent.
    private static func count(
        from agent: borrowing Descriptor, until stop: borrowing Descriptor,
        _ shared: Shared
    ) {
        shared.change {
            $0.commands += 1
            $0.isHolding = $0.commands == $0.holdAt
        }
        guard shared.read({ $0.isHolding }) else { return }
        let interests = [Poll.Interest(agent.rawValue, []), Poll.Interest(stop.rawValue)]
        while let ready = try? Poll.wait(for: interests), ready.allSatisfy(\.isEmpty) {}
        shared.change { ($0.holdAt, $0.isHolding) = (nil, false) }
    }

    private static func drain(_ radio: borrowing Descriptor) {
        let interest = Poll.Interest(radio.rawValue)
        while (try? Poll.wait(for: [interest], timeout: 5000))?.first?.isEmpty == false,
            read(radio) != nil
        {}
    }

    /// The received bytes; `nil` at the end.
    private static func read(_ descriptor: borrowing Descriptor) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let read = chunk.withUnsafeMutableBytes { try? descriptor.read(into: $0) }
        guard let count = read, count > 0 else { return nil }
        return Array(chunk.prefix(count))
    }

    /// Removes the first complete command: type, opcode (2), length, parameters.
    private static func next(in bytes: inout [UInt8]) -> [UInt8]? {
        guard bytes.count >= 4, bytes[0] == Packet.command, bytes.count >= 4 + Int(bytes[3]) else {
            return nil
        }
        let packet = Array(bytes.prefix(4 + Int(bytes[3])))
        bytes.removeFirst(packet.count)
        return packet
    }

    private static func isAdvertising(_ packet: [UInt8]) -> Bool {
        Packet.advertising.contains(UInt16(packet[1]) | UInt16(packet[2]) << 8)
    }
}
