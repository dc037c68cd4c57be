import JSON

/// What is in force, and why what was asked is not: the retained message of the topic `config/reported`.
package struct ReportedMessage: Equatable, Sendable {
    package enum Status: String, CaseIterable, Sendable {
        /// All that was asked is in force.
        case applied
        /// A document was wrong: `errors` say which and why.
        case rejected
        /// The controller said no: `errors` have its own words.
        case refused
    }

    /// What the gateway's own radio does.
    package struct Radio: Equatable, Sendable {
        /// The adapter's address; `nil` while there is none.
        package var address: String?
        /// Whether the identity in force is on the air.
        package var advertising: Bool
        /// From one advertisement to the next, in milliseconds, to the controller's 0.625 ms; `nil` for none.
        package var intervalMs: Double?
        /// What the controller chose, in dBm; `nil` where it can't be asked.
        package var txPowerDbm: Int?
        /// The family of commands: `legacy` or `extended`; `nil` while there is no controller.
        package var commands: String?

        package init(
            address: String? = nil, advertising: Bool = false, intervalMs: Double? = nil,
            txPowerDbm: Int? = nil, commands: String? = nil
        ) {
            self.address = address
            self.advertising = advertising
            self.intervalMs = intervalMs
            self.txPowerDbm = txPowerDbm
            self.commands = commands
        }
    }

    package var session: String
    /// Of the documents in force.
    package var versions: LayerVersions
    package var status: Status
    package var errors: [LayerFault]
    /// The sections in force, as `GatewaySettings.json` has them.
    package var effective: JSON
    package var radio: Radio
    /// Whether what is in force will also be after a restart without a broker.
    package var isPersisted: Bool

    package init(
        session: String, versions: LayerVersions, status: Status, errors: [LayerFault],
        effective: JSON, radio: Radio, isPersisted: Bool
    ) {
        self.session = session
        self.versions = versions
        self.status = status
        self.errors = errors
        self.effective = effective
        self.radio = radio
        self.isPersisted = isPersisted
    }
}

extension ReportedMessage {
    /// The largest message that is read: the longest list of errors, of three layers with the longest keys there can be.
    package static let maxBytes = 4 << 20
    /// The elements of `errors`: a document of 64 KiB can be wrong in thousands of places.
    package static let maxErrors = 200

    /// As many errors as are sent; when there are more, the last says how many are not.
    private var listedErrors: [LayerFault] {
        guard errors.count > Self.maxErrors else { return errors }
        let listed = errors.prefix(Self.maxErrors - 1)
        let next = errors[listed.endIndex]
        let message = "\(errors.count - listed.count) more faults are not listed"
        return listed + [
            LayerFault(
                layer: next.layer, version: next.version, fault: Fault(.root, .tooLarge, message))
        ]
    }

    /// The message's bytes.
    package var encoded: [UInt8] {
        let json = JSON.object([
            .init("v", .integer(1)),
            .init("session", .string(session)),
            .init("versions", versions.json),
            .init("status", .string(status.rawValue)),
            .init("errors", .array(listedErrors.map(\.json))),
            .init("effective", effective),
            .init("radio", radio.json),
            .init("persisted", .bool(isPersisted)),
        ])
        return Array(json.text.utf8)
    }

    /// Reads a message; what it has beyond the contract is ignored.
    package init(decoding bytes: [UInt8]) throws(Faults) {
        self = try ObjectReader.decode(
            parsing: bytes, maxBytes: Self.maxBytes, unknownKeys: .areIgnored, nulls: .removeKeys
        ) { reader in
            _ = reader.integer("v", in: 1...1)
            let session = reader.string("session")
            let versions = reader.object("versions") { LayerVersions(from: &$0) }
            let status = reader.choice("status", of: Status.self)
            let errors = reader.objects("errors", atMost: 10_000) { LayerFault(from: &$0) }
            let effective = reader.json("effective")
            let radio = reader.object("radio") { Radio(from: &$0) }
            let isPersisted = reader.bool("persisted", default: true)
            guard let versions, let status, let radio else { return nil }
            return ReportedMessage(
                session: session, versions: versions, status: status, errors: errors,
                effective: effective ?? .object([]), radio: radio, isPersisted: isPersisted)
        }
    }
}

extension ReportedMessage.Radio {
    fileprivate var json: JSON {
        .object([
            .init("address", address.map { .string($0) } ?? .null),
            .init("advertising", .bool(advertising)),
            .init("intervalMs", intervalMs.map { .milliseconds($0) } ?? .null),
            .init("txPowerDbm", txPowerDbm.map { .integer(Int64($0)) } ?? .null),
            .init("commands", commands.map { .string($0) } ?? .null),
        ])
    }

    fileprivate init(from reader: inout ObjectReader) {
        self.init(
            address: reader.optionalString("address"),
            advertising: reader.bool("advertising", default: false),
            intervalMs: reader.optionalNumber("intervalMs", in: 0...1e6),
            txPowerDbm: reader.optionalInteger("txPowerDbm", in: -127...126),
            commands: reader.optionalString("commands"))
    }
}

extension JSON {
    /// A whole number where it is one.
    fileprivate static func milliseconds(_ number: Double) -> JSON {
        Int64(exactly: number).map { .integer($0) } ?? .number(number)
    }
}
