import HCI

/// A command's parameters, whose number the table of commands has checked.
struct Parameters {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }

    /// The byte at `offset`; zero beyond the end.
    subscript(offset: Int) -> UInt8 { bytes.indices.contains(offset) ? bytes[offset] : 0 }

    /// The little-endian number in `width` bytes from `offset`.
    func number(at offset: Int, width: Int) -> UInt64 {
        (0..<width).reduce(0) { $0 | UInt64(self[offset + $1]) << UInt64(8 * $1) }
    }

    func number16(at offset: Int) -> UInt16 {
        UInt16(truncatingIfNeeded: number(at: offset, width: 2))
    }

    /// The `count` bytes from `offset`, or as many as there are.
    func bytes(at offset: Int, count: Int) -> [UInt8] {
        Array(bytes.dropFirst(offset).prefix(count))
    }
}

/// Why a command is not carried out.
struct CommandRefusal: Error {
    let status: HCIStatus

    static let disallowed = CommandRefusal(status: .commandDisallowed)
    static let invalid = CommandRefusal(status: .invalidParameters)
    static let unsupported = CommandRefusal(status: .unsupportedFeature)
    static let full = CommandRefusal(status: .memoryCapacityExceeded)
    static let unknownSet = CommandRefusal(status: .unknownAdvertisingIdentifier)

    /// Refuses unless `isRight`.
    static func unless(_ isRight: Bool, _ refusal: CommandRefusal = .invalid) throws(CommandRefusal)
    {
        if !isRight { throw refusal }
    }
}
