import Contract
import JSON
import Primitives
import Subscriber
import Terminal

/// The next version of one layer's document, or the current one if nothing changes.
struct DocumentRevision {
    /// Why a document without a difference is published.
    enum Reason {
        case laterVersion
        case otherContent
        case restart
        case removal
    }

    let name: LayerName
    /// The broker's document; `nil` for none.
    let base: RetainedDocument?
    let difference: Difference
    /// The version that gateways should have in force; `nil` for no document.
    let version: Int64?
    /// The digest of the document that gateways should have in force; `nil` for no document.
    let digest: SHA256Digest?
    /// The message to publish; empty to remove the document, `nil` if nothing changes.
    let bytes: [UInt8]?
    let reason: Reason
    /// Gateways take a lower version only after a removal, which is published first.
    var restartsVersions: Bool { reason == .restart }

    /// Why there is no revision.
    enum Failure: Error, Equatable {
        /// The broker's document can't be read, and `--replace` is not given.
        case unreadable(String)
        /// The new document would be invalid.
        case faults([Fault])
        /// The current version is the last possible one.
        case noVersionLeft
        /// Gateways know a later version than the broker, which has this one. Their settings would be lost.
        case outdated(version: Int64, base: Int64?)
        /// Gateways have another document of the broker's version in force. Its settings would be lost.
        case conflicting(version: Int64)
    }

    /// - Parameters:
    ///   - known: the gateways' reports. They ignore versions that are not later.
    ///   - mode: a restart removes the document first, so that gateways take a lower version. `remove` has another
    ///     initialiser.
    init(
        of name: LayerName, base: RetainedDocument?, assignments: [Assignment],
        known: KnownVersions = KnownVersions(), mode: RolloutRequest.Mode = .edit
    ) throws(Failure) {
        self.name = name
        self.base = base
        if let fault = base?.fault, !mode.startsEmpty { throw .unreadable(fault) }
        let old = base?.sections ?? .object([])
        let new = assignments.reduce(mode.startsEmpty ? .object([]) : old) { $0.applying($1) }
        difference = Difference(from: old, to: new)
        let faults = assignments.flatMap { $0.faults(on: old) }
        if !faults.isEmpty { throw .faults(faults) }
        let highest = [base?.version, known.highest].compactMap(\.self).max()
        let isOutdated = base?.version != highest || !known.conflicting.isEmpty
        let isWithoutVersion = base != nil && base?.version == nil
        reason =
            mode.restartsVersions ? .restart : known.ahead.isEmpty ? .otherContent : .laterVersion
        guard !difference.isEmpty || isOutdated || isWithoutVersion || mode.restartsVersions else {
            version = base?.version
            digest = base?.digest
            bytes = nil
            return
        }
        let next: Int64
        if mode.restartsVersions {
            next = known.restart
        } else {
            guard highest ?? 0 < LayerDocument.versions.upperBound else { throw .noVersionLeft }
            next = (highest ?? 0) + 1
        }
        let document = LayerDocument(version: next, patch: new)
        let bytes = document.json.bytes
        do throws(Faults) {
            // The check covers the bytes of the message, and so its size.
            _ = try LayerDocument(parsing: bytes)
        } catch {
            throw .faults(error.list.map { $0.advised(in: new) })
        }
        // Checked last, so that invalid assignments are reported first.
        if !mode.startsEmpty { try Self.check(base, known, mode.restartsVersions) }
        version = next
        digest = document.digest
        self.bytes = bytes
    }

    /// Throws if the broker's document lacks settings that gateways have.
    private static func check(
        _ base: RetainedDocument?, _ known: KnownVersions, _ restartsVersions: Bool
    ) throws(Failure) {
        let lost = restartsVersions && base == nil ? known.ahead + known.implausible : known.ahead
        if let version = lost.map(\.version).max() {
            throw .outdated(version: version, base: base?.version)
        }
        if let first = known.conflicting.first { throw .conflicting(version: first.version) }
    }

    /// Removes the document.
    ///
    /// - Parameter isReported: whether a gateway reports the layer. It needs the removal even if the broker has no document.
    init(removing name: LayerName, base: RetainedDocument?, isReported: Bool) {
        self.name = name
        self.base = base
        difference = Difference(from: base?.sections ?? .object([]), to: .object([]))
        version = nil
        digest = nil
        bytes = base == nil && !isReported ? nil : []
        reason = .removal
    }

    /// Whether it removes the document.
    var isRemoval: Bool { bytes?.isEmpty ?? false }

    /// The messages to publish, in this order.
    var messages: [[UInt8]] {
        guard let bytes else { return [] }
        return restartsVersions ? [[], bytes] : [bytes]
    }

    /// The revision in a sentence: `version 8 of TOPIC`.
    func description(root: String) -> String {
        let what = version.map { "version \($0)" } ?? "the removal"
        return "\(what) of \(name.topic(root: root))"
    }

    /// Whether the broker's document is this revision; `nil` is no document.
    func isShown(as document: RetainedDocument?) -> Bool {
        guard let bytes else { return false }
        guard let document else { return isRemoval }
        return !bytes.isEmpty && document.digest == digest
    }
}

extension Assignment {
    /// The fault of an assignment that removes an unknown key from a document without that key.
    fileprivate func faults(on document: JSON) -> [Fault] {
        guard value == .null, !isLiteral, document.applying(self) == document else { return [] }
        return JSON.object([]).applying(keepingNulls).faultsOfSections
    }
}

extension DocumentRevision.Failure {
    var exitCode: ExitCode {
        if case .faults = self { .wrongUse } else { .failed }
    }

    /// One sentence for each fault.
    func sentences(topic: String, _ known: KnownVersions) -> [String] {
        let remedy = "its settings would be lost; use --replace to publish a complete document"
        switch self {
        case .unreadable(let fault):
            return [
                "the document of \(topic) can't be read: \(fault.printable(limit: 300));"
                    + " --replace starts with an empty document"
            ]
        case .faults(let faults):
            return faults.map { fault in
                let place = fault.pointer.description.printable(limit: 200)
                return "\(topic): "
                    + (place.isEmpty ? "" : "\(place): ") + fault.message.printable(limit: 400)
            }
        case .outdated(let version, let base):
            let reports = known.ahead.isEmpty ? known.implausible : known.ahead
            let document = base.map { "only version \($0)" } ?? "no document"
            return [
                "\(reports.named("knows", "know")) version \(version) of \(topic), but the broker"
                    + " has \(document): \(remedy)"
            ] + known.suspicion
        case .conflicting(let version):
            return [
                "\(known.conflicting.named("has", "have")) another version \(version) of \(topic)"
                    + " in force than the broker: \(remedy)"
            ] + known.suspicion
        case .noVersionLeft:
            return [
                "no version is left for \(topic): \(LayerDocument.versions.upperBound) is the last"
                    + " possible one; use --reset-versions"
            ]
        }
    }
}

extension KnownVersions {
    /// A sentence about a gateway that alone disagrees with the broker; empty for none.
    fileprivate var suspicion: [String] {
        guard let dissenter else { return [] }
        return [
            "only \(dissenter) of \(reporting) gateways disagrees with the broker and may be compromised: if it is,"
                + " run 'provision --revoke \(dissenter)', empty its retained config/reported, and run tune again"
        ]
    }

    /// A sentence about the versions that do not count; `nil` for none.
    func notice(topic: String, base: RetainedDocument?) -> String? {
        guard let version = implausible.map(\.version).max() else { return nil }
        let document = base?.version.map { "version \($0)" } ?? "no document"
        return
            "ignored: \(implausible.named("reports", "report")) version \(version) of \(topic), at"
            + " least \(LayerDocument.largestVersionStep.grouped) above the broker (\(document))"
    }
}

extension [KnownVersions.Report] {
    /// The gateways' names and the verb: `a/x knows`, `a/x, a/y know`.
    fileprivate func named(_ singular: String, _ plural: String) -> String {
        "\(map(\.gateway.description).firstFew) \(count == 1 ? singular : plural)"
    }
}
