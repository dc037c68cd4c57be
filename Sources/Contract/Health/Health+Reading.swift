import JSON

extension Health {
    /// The largest message that `init(decoding:)` reads.
    package static let maxBytes = 65_536

    /// Reads a message; unknown members are ignored, and absent ones keep their default.
    package init(decoding bytes: [UInt8]) throws(Faults) {
        self = try ObjectReader.decode(
            parsing: bytes, maxBytes: Self.maxBytes, unknownKeys: .areIgnored
        ) { reader in
            _ = reader.integer("v", in: 1...1)
            var health = Health(session: reader.string("session"), at: 0, uptime: .zero)
            for member in Self.general { member.read(&reader, &health) }
            for section in Self.sections {
                _ = reader.optionalObject(section.name) { reader in
                    for member in section.members { member.read(&reader, &health) }
                    return true
                }
            }
            return health
        }
    }
}
