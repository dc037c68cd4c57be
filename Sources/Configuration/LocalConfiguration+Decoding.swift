import Contract
import JSON

extension LocalConfiguration {
    /// The largest file that is read.
    package static let maxBytes = 1 << 20

    /// Reads the file's bytes; throws all faults.
    ///
    /// The section `mqtt` may be left out only where no broker is required: where messages go to standard output.
    package init(parsing bytes: [UInt8], requiresBroker: Bool) throws(Faults) {
        self = try ObjectReader.decode(
            parsing: bytes, maxBytes: Self.maxBytes, allowingComments: true
        ) { reader in
            var configuration = LocalConfiguration(topics: .unnamed)
            Self.keys.read(&reader, &configuration)
            if requiresBroker, !reader.has("mqtt") {
                reader.note(
                    "mqtt", .missing, "mqtt is required, unless messages go to standard output")
            }
            configuration.lowestLayer = GatewaySettings.lowestLayer(in: &reader)
            return configuration
        }
    }
}

extension GatewaySettings {
    /// The members of the local file that a layer could have as well.
    fileprivate static func lowestLayer(in reader: inout ObjectReader) -> JSON {
        .object(
            keys.compactMap { section in
                guard case .object(let members)? = reader.json(section.name) else { return nil }
                let names = section.members?.map(\.name) ?? []
                return .init(section.name, .object(members.filter { names.contains($0.key) }))
            })
    }
}
