import Primitives

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
