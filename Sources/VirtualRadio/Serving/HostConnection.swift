import Glibc
import Posix
import Primitives

/// One host's connection to a station: a stream of H4, or the kernel's virtual controller.
struct HostConnection: ~Copyable {
    /// How packets travel.
    enum Framing: Equatable, Sendable {
        /// One behind the other, cut anywhere.
        case stream
        /// One in each read and write, as /dev/vhci has it.
        case packets
    }

    /// Why a connection is over.
    enum Ending: Equatable, Sendable {
        case stopped
        case timeIsUp
        case hostIsGone
        /// The station's misbehaviour.
        case dropped
        case failed(Errno)
    }

    private let descriptor: Descriptor
    private let framing: Framing
    private let presence: AirPresence
    private var pending: [UInt8] = []
    private var nextLookAtWall: Instant?

    private enum Timing {
        /// Between two looks at the world, in milliseconds: reports of a batch go out together.
        static let tick = 10
        /// Between two looks at the wall clock.
        static let wallLook: Duration = .seconds(1)
        /// A wall clock that is farther off than this was set, or has been slewed for long.
        static let wallTolerance: Duration = .milliseconds(20)
        /// After a longer suspension of the process or machine, the missed time is skipped.
        static let longestGap: Duration = .seconds(2)
        /// How long the host has to take the rest when the radio stops.
        static let patience: Duration = .milliseconds(500)
    }

    /// A host that does not read loses reports beyond this, as with a real controller's full buffers.
    private static let pendingRoom = 262_144

    init(_ descriptor: consuming Descriptor, _ framing: Framing, _ presence: AirPresence) {
        self.descriptor = descriptor
        self.framing = framing
        self.presence = presence
    }

    /// Serves until something ends it.
    ///
    /// - Parameters:
    ///   - stop: a descriptor that becomes readable when it is time to stop.
    ///   - deadline: on the boot clock; `nil` for none.
    mutating func serve(_ station: inout Station, stop: CInt, deadline: Instant?) -> Ending {
        var lastLook = Instant.now
        let drops = station.drops
        while true {
            let now = presence.look(&station)
            if now - lastLook > Timing.longestGap { station.skip(to: now) }
            lastLook = now
            keepStep(&station, now)
            station.advance(to: now, reporting: pending.count < Self.pendingRoom)
            presence.announce(&station)
            if station.drops != drops { return .dropped }
            pending += station.takeOutput()
            do throws(Errno) {
                try write()
                if let deadline, now >= deadline { return finish(.timeIsUp) }
                let happened = try Poll.wait(
                    for: [
                        Poll.Interest(stop),
                        Poll.Interest(
                            descriptor.rawValue, pending.isEmpty ? .input : [.input, .output]),
                    ], timeout: Timing.tick)
                if !happened[0].isEmpty { return finish(.stopped) }
                if !happened[1].isDisjoint(with: [.input, .failure]) {
                    guard let bytes = try read() else { return .hostIsGone }
                    if !bytes.isEmpty { station.receive(bytes, at: presence.look(&station)) }
                    // The other stations learn of a change before the host receives its answer.
                    presence.announce(&station)
                }
            } catch {
                let isGone = error == .brokenPipe || error == .connectionReset
                return isGone ? .hostIsGone : .failed(error)
            }
        }
    }

    /// Follows the wall clock, on which all who share the scenario agree.
    private mutating func keepStep(_ station: inout Station, _ now: Instant) {
        if let nextLookAtWall, now < nextLookAtWall { return }
        nextLookAtWall = now + Timing.wallLook
        let worldTime = station.scenario.worldTime(at: now + Clocks.wallMinusBoot)
        let deviation = station.deviation(fromWorldTime: worldTime, at: now)
        if max(deviation, .zero - deviation) > Timing.wallTolerance {
            station.synchronise(worldTime: worldTime, at: now)
        }
    }

    /// Gives the host a moment to take what it was promised.
    private mutating func finish(_ ending: Ending) -> Ending {
        let end = Instant.now + Timing.patience
        do throws(Errno) {
            while !pending.isEmpty, .now < end {
                let interest = Poll.Interest(descriptor.rawValue, .output)
                _ = try Poll.wait(for: [interest], timeout: Timing.tick)
                try write()
            }
        } catch {
            return .hostIsGone
        }
        return ending
    }

    /// What the host wrote; `nil` when it has closed its end.
    private func read() throws(Errno) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var failure: Errno?
        let count = buffer.withUnsafeMutableBytes { room -> Int? in
            do throws(Errno) { return try descriptor.read(into: room) } catch { failure = error }
            return nil
        }
        if let failure { throw failure }
        guard let count else { return [] }
        guard count > 0 else { return nil }
        // The kernel's own word, with the number of the adapter that it has made: no HCI packet.
        if framing == .packets, buffer[0] == VHCI.vendorPacket { return [] }
        return Array(buffer.prefix(count))
    }

    /// Writes what the host takes now.
    private mutating func write() throws(Errno) {
        var offset = 0
        defer { pending.removeFirst(offset) }
        while offset < pending.count {
            let end = framing == .stream ? pending.count : endOfEvent(at: offset)
            do throws(Errno) {
                offset += try pending[offset..<end].withUnsafeBytesOf(descriptor, framing)
            } catch {
                switch error {
                case .wouldBlock: return
                // An adapter that is down takes nothing; the air does not wait for it.
                case .noSuchDeviceOrAddress where framing == .packets: offset = end
                default: throw error
                }
            }
        }
    }

    /// Where the event packet that begins at `start` ends: type, code, length, parameters.
    private func endOfEvent(at start: Int) -> Int {
        guard start + 2 < pending.count else { return pending.count }
        return min(pending.count, start + 3 + Int(pending[start + 2]))
    }
}

extension ArraySlice<UInt8> {
    /// Writes without blocking and without SIGPIPE (send(2), write(2)).
    fileprivate func withUnsafeBytesOf(
        _ descriptor: borrowing Descriptor, _ framing: HostConnection.Framing
    ) throws(Errno) -> Int {
        let number = descriptor.rawValue
        return try retryingInterrupts {
            withUnsafeBytes { bytes in
                framing == .stream
                    ? send(number, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
                    : Glibc.write(number, bytes.baseAddress, bytes.count)
            }
        }
    }
}
