import Primitives

/// Iterates over a btsnoop capture (RFC 1761's layout with Bluetooth's link types; BlueZ's doc/btsnoop-protocol).
package struct Btsnoop {
    /// The file's link type: the format of HCI packets in records.
    package enum Link: UInt32, Sendable {
        /// Bare packets. The record's flags mark events.
        case hci = 1001
        /// Packets with an H4 type byte, as Android phones log them.
        case h4 = 1002
        /// Linux monitor packets, as `btmon -w` writes them; the record's flags are the monitor's opcode.
        case monitor = 2001
    }

    /// One event in the capture.
    package struct Record {
        /// The time since the Unix epoch, UTC.
        package let instant: Instant
        /// The number of packets that the capturing program has lost so far.
        package let drops: UInt32
        /// The adapter of a monitor record; without meaning in other captures.
        package let adapter: UInt16
        /// The event packet, from its event code on.
        package let event: Range<Int>
    }

    /// Why the capture can't be read to its end.
    package enum Failure: Error, Equatable {
        case notBtsnoop
        /// A capture of another kind, by its name.
        case otherCapture(String)
        case unsupportedVersion(UInt32)
        case unsupportedLink(UInt32)
        /// The record at `offset` is incomplete. The records before it are valid.
        case truncated(offset: Int)
        /// The capture has advertising reports of these adapters, and none or several of them were chosen.
        case ambiguous(adapters: [UInt16])
    }

    enum Layout {
        /// "btsnoop" and a zero.
        static let magic: UInt64 = 0x6274_736e_6f6f_7000
        static let version: UInt32 = 1
        /// Captures that Wireshark's tools convert, by their first four bytes.
        static let others: [UInt32: String] = [
            0xa1b2_c3d4: "pcap", 0xd4c3_b2a1: "pcap", 0xa1b2_3c4d: "pcap", 0x4d3c_b2a1: "pcap",
            // With Kuznetzov's patch of 2000.
            0xa1b2_cd34: "pcap", 0x34cd_b2a1: "pcap",
            0x0a0d_0d0a: "pcapng",
        ]
        static let headerCount = 16
        static let recordHeaderCount = 24
        /// The limit for damaged times, 36,000 years: sums and differences of two such times can't overflow.
        static let latest: Int64 = 1 << 60
        /// 1970-01-01 in microseconds since the year 0.
        static let epoch: Int64 = 0x00dc_ddb3_0f2f_8000
        /// The opcode in the lower half of a monitor record's flags. The upper half is the adapter.
        static let monitorEvent: UInt32 = 3
        static let opcodeMask: UInt32 = 0xffff
        /// Flags of a bare packet: received, and an event rather than data.
        static let receivedEvent: UInt32 = 3
    }

    package let link: Link
    /// The flags of the monitor records to read, and their significant bits.
    private let flags: UInt32
    private let flagsMask: UInt32
    private var offset = Layout.headerCount

    /// Reads the file's header.
    ///
    /// - Parameter adapter: the adapter of the monitor records to read; `nil` for all.
    package init(_ file: Bytes, adapter: UInt16? = nil) throws(Failure) {
        guard file.count >= Layout.headerCount, file.bigEndian64(at: 0) == Layout.magic else {
            throw Failure(ofOther: file)
        }
        let version = file.bigEndian32(at: 8)
        guard version == Layout.version else { throw .unsupportedVersion(version) }
        let link = file.bigEndian32(at: 12)
        guard let known = Link(rawValue: link) else { throw .unsupportedLink(link) }
        self.link = known
        flags = UInt32(adapter ?? 0) << 16 | Layout.monitorEvent
        flagsMask = adapter == nil ? Layout.opcodeMask : .max
    }

    /// The next event of `file`, which must be the same file for every call; `nil` at its end.
    @inline(__always)
    package mutating func next(in file: Bytes) throws(Failure) -> Record? {
        while offset < file.count {
            let start = offset + Layout.recordHeaderCount
            guard start <= file.count else { throw .truncated(offset: offset) }
            let header = file.extracting(offset..<start)
            let end = start + Int(header.bigEndian32(at: 4))
            guard end <= file.count else { throw .truncated(offset: offset) }
            offset = end
            let flags = header.bigEndian32(at: 8)
            guard let event = event(in: file, flags: flags, start..<end) else { continue }
            let time = Int64(bitPattern: header.bigEndian64(at: 16))
            let clamped = min(max(time, -Layout.latest), Layout.latest)
            return Record(
                instant: Instant(microseconds: clamped - Layout.epoch),
                drops: header.bigEndian32(at: 12),
                adapter: UInt16(truncatingIfNeeded: flags >> 16), event: event)
        }
        return nil
    }

    /// Hands each remaining event and its record to `body`, until `body` returns `false`.
    package mutating func forEach(
        in file: Bytes, _ body: (_ event: Bytes, _ record: Record) -> Bool
    ) throws(Failure) {
        while let record = try next(in: file) {
            guard body(file.extracting(record.event), record) else { return }
        }
    }

    @inline(__always)
    private func event(in file: Bytes, flags: UInt32, _ packet: Range<Int>) -> Range<Int>? {
        switch link {
        case .h4:
            guard !packet.isEmpty, file[packet.lowerBound] == H4.PacketType.event.rawValue else {
                return nil
            }
            return packet.lowerBound + 1..<packet.upperBound
        case .monitor: return flags & flagsMask == self.flags ? packet : nil
        case .hci: return flags & 3 == Layout.receivedEvent ? packet : nil
        }
    }
}

extension Btsnoop.Failure {
    /// The failure of a file that is no btsnoop capture.
    fileprivate init(ofOther file: Bytes) {
        let name = file.count >= 4 ? Btsnoop.Layout.others[file.littleEndian32(at: 0)] : nil
        self = name.map { .otherCapture($0) } ?? .notBtsnoop
    }
}

extension Btsnoop.Failure: CustomStringConvertible {
    /// The fault in the file, for an operator.
    package var description: String {
        switch self {
        case .notBtsnoop:
            "not a btsnoop capture; expected a file that `btmon -w` or an Android phone wrote; unpack a compressed file first"
        case .otherCapture(let name):
            "a \(name) capture; convert it with “editcap -F btsnoop FILE NEW”, which is part of Wireshark"
        case .unsupportedVersion(let version):
            "btsnoop version \(version) is not known; expected version 1"
        case .unsupportedLink(let link):
            "link type \(link) is not supported; expected 1001 (HCI), 1002 (H4) or 2001 (Linux monitor)"
        case .ambiguous(let adapters) where adapters.isEmpty:
            "the capture names no adapters: leave out the part from # on"
        case .ambiguous(let adapters):
            "the capture has reports of \(adapters.map { "hci\($0)" }.joined(separator: ", ")): choose one with FILE#hci\(adapters[0])"
        case .truncated(let offset):
            "the record at byte \(offset) is incomplete: the file is truncated; the records before it were read"
        }
    }
}

/// A capture of events with H4 type bytes, for the virtual radio and tests.
extension Btsnoop {
    /// The header of a file.
    package static func header(_ link: Link) -> [UInt8] {
        Layout.magic.bigEndianBytes + Layout.version.bigEndianBytes + link.rawValue.bigEndianBytes
    }

    /// Appends a record with an event packet, from its event code on, to a file of the link type `h4`.
    ///
    /// - Parameter instant: since the Unix epoch.
    package static func append(
        event: [UInt8], at instant: Instant, to file: inout [UInt8]
    ) {
        let count = UInt32(truncatingIfNeeded: event.count + 1)
        let time = UInt64(bitPattern: instant.microseconds &+ Layout.epoch)
        // Original and included length, flags, drops, time.
        for number in [count, count, Layout.receivedEvent, 0, UInt32(time >> 32)] {
            file += number.bigEndianBytes
        }
        file += UInt32(truncatingIfNeeded: time).bigEndianBytes
        file.append(H4.PacketType.event.rawValue)
        file += event
    }
}

extension FixedWidthInteger {
    fileprivate var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: self >> $0)
        }
    }
}

/// The adapters of a capture. Only Linux monitor records name them.
extension Btsnoop {
    /// The adapter to read; `nil` for a capture that does not name adapters.
    ///
    /// - Parameter choice: the chosen adapter; `nil` if the capture has reports of one adapter at most.
    package static func adapter(
        _ choice: UInt16?, of file: Bytes
    ) throws(Failure) -> UInt16? {
        guard try Btsnoop(file).link == .monitor else {
            if choice != nil { throw .ambiguous(adapters: []) }
            return nil
        }
        let adapters = try adapters(of: file)
        guard let choice else {
            if adapters.count > 1 { throw .ambiguous(adapters: adapters) }
            return nil
        }
        if !adapters.isEmpty, !adapters.contains(choice) { throw .ambiguous(adapters: adapters) }
        return choice
    }

    /// The adapters with advertising reports, in order. The records before a damaged one count.
    private static func adapters(of file: Bytes) throws(Failure) -> [UInt16] {
        var walk = try Btsnoop(file)
        var adapters: [UInt16] = []
        do throws(Failure) {
            while let record = try walk.next(in: file) {
                guard adapters.last != record.adapter else { continue }
                let event = file.extracting(record.event)
                guard AdvertisingReports(event: event) != nil else { continue }
                adapters.removeAll { $0 == record.adapter }
                adapters.append(record.adapter)
            }
        } catch {}
        return adapters.sorted()
    }
}
