import JSON
import Primitives

/// The settings in force, and the faults of documents that are not: the retained message of the topic `config/reported`.
package struct ReportedMessage: Equatable, Sendable {
    package enum Status: String, CaseIterable, Sendable {
        /// All documents are in force.
        case applied
        /// A document is invalid, or conflicts with another one; `errors` has the reasons.
        case rejected
        /// The controller refused a command; `errors` has its status.
        case refused
    }

    /// The state of the gateway's own radio.
    package struct Radio: Equatable, Sendable {
        /// The adapter's address; `nil` without an adapter.
        package var address: String?
        /// Whether the controller advertises the identity in force.
        package var advertising: Bool
        /// The advertising interval in milliseconds, a multiple of 0.625; `nil` without advertising.
        package var intervalMs: Double?
        /// The controller's transmit power in dBm; `nil` if the controller does not report it.
        package var txPowerDbm: Int?
        /// The command family: `legacy` or `extended`; `nil` without a controller.
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
    /// The versions of the documents in force.
    package var versions: LayerVersions
    /// The digests of the documents in force. An agent before version 0.2 reports none.
    package var digests: LayerDigests
    /// Since when each document is in force; `nil` if the gateway's clock was not set then, or an agent before version 0.2
    /// applied it.
    package var since: LayerTimes
    package var status: Status
    package var errors: [LayerFault]
    /// The sections in force: `GatewaySettings.json`.
    package var effective: JSON
    package var radio: Radio
    /// Whether the layers in force survive a restart without a broker.
    package var isPersisted: Bool

    package init(
        session: String, versions: LayerVersions, digests: LayerDigests = LayerDigests(),
        since: LayerTimes = LayerTimes(), status: Status, errors: [LayerFault], effective: JSON,
        radio: Radio, isPersisted: Bool
    ) {
        self.session = session
        self.versions = versions
        self.digests = digests
        self.since = since
        self.status = status
        self.errors = errors
        self.effective = effective
        self.radio = radio
        self.isPersisted = isPersisted
    }
}

extension ReportedMessage {
    /// The largest message that `init(decoding:)` reads: the longest error list, with the longest keys in three layers.
    package static let maxBytes = 4 << 20
    /// The most elements of `errors`: a document of 64 KiB can have thousands of faults.
    package static let maxErrors = 200

    /// At most `maxErrors` errors. If there are more, the last one has the number of the others.
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
            .init("versions", versions.json { .integer($0) }),
            .init("digests", digests.json { .string($0.description) }),
            .init("since", since.json),
            .init("status", .string(status.rawValue)),
            .init("errors", .array(listedErrors.map(\.json))),
            .init("effective", effective),
            .init("radio", radio.json),
            .init("persisted", .bool(isPersisted)),
        ])
        return json.bytes
    }

    /// Reads a message; unknown members are ignored.
    package init(decoding bytes: [UInt8]) throws(Faults) {
        self = try ObjectReader.decode(
            parsing: bytes, maxBytes: Self.maxBytes, unknownKeys: .areIgnored, nulls: .removeKeys
        ) { reader in
            _ = reader.integer("v", in: 1...1)
            let session = reader.string("session")
            let versions = reader.object("versions") { reader in
                LayerVersions(from: &reader) { $0.optionalInteger($1, in: LayerDocument.versions) }
            }
            let digests = reader.optionalObject("digests") { reader in
                LayerDigests(from: &reader) {
                    $0.optionalParsed($1, expecting: "64 hexadecimal digits") {
                        SHA256Digest(hexadecimal: $0)
                    }
                }
            }
            let since = reader.optionalObject("since") { LayerTimes(from: &$0) }
            let status = reader.choice("status", of: Status.self)
            let errors = reader.objects("errors", atMost: 10_000) { LayerFault(from: &$0) }
            let effective = reader.json("effective")
            let radio = reader.object("radio") { Radio(from: &$0) }
            let isPersisted = reader.bool("persisted", default: true)
            guard let versions, let status, let radio else { return nil }
            return ReportedMessage(
                session: session, versions: versions, digests: digests ?? LayerDigests(),
                since: since ?? LayerTimes(), status: status, errors: errors,
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
    /// An integer if the value has no fraction.
    fileprivate static func milliseconds(_ number: Double) -> JSON {
        Int64(exactly: number).map { .integer($0) } ?? .number(number)
    }
}
