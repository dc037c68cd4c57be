import Contract
import JSON

/// The next version of one layer's document, or the current one if nothing changes.
struct DocumentRevision {
    let name: LayerName
    /// The broker's document; `nil` for none.
    let base: RetainedDocument?
    let difference: Difference
    /// The version that gateways should have in force; `nil` for no document.
    let version: Int64?
    /// The message to publish; empty to remove the document, `nil` if nothing changes.
    let bytes: [UInt8]?

    /// Why there is no revision.
    enum Failure: Error, Equatable {
        /// The broker's document can't be read, and `--replace` is not given.
        case unreadable(String)
        /// The new document would be invalid.
        case faults([Fault])
        /// The current version is the last possible one.
        case noVersionLeft
        /// Gateways report a version, but the broker has no document. Its other settings would be lost.
        case lost(version: Int64)
    }

    /// - Parameters:
    ///   - highest: the highest version of this layer that gateways report. They ignore versions that are not later.
    ///   - isReplacing: starts with an empty document.
    init(
        of name: LayerName, base: RetainedDocument?, assignments: [Assignment], highest: Int64?,
        isReplacing: Bool
    ) throws(Failure) {
        self.name = name
        self.base = base
        if let objection = base?.objection, !isReplacing { throw .unreadable(objection) }
        let old = base?.sections ?? .object([])
        let new = assignments.reduce(isReplacing ? .object([]) : old) { $0.applying($1) }
        difference = Difference(from: old, to: new)
        let faults = assignments.flatMap { $0.faults(on: old) }
        if !faults.isEmpty { throw .faults(faults) }
        let known = [base?.version, highest].compactMap(\.self).max()
        let isOutdated = base?.version != known
        let isWithoutVersion = base != nil && base?.version == nil
        guard !difference.isEmpty || isOutdated || isWithoutVersion else {
            version = base?.version
            bytes = nil
            return
        }
        guard known ?? 0 < LayerDocument.versions.upperBound else { throw .noVersionLeft }
        let next = (known ?? 0) + 1
        let document = LayerDocument(version: next, patch: new)
        let bytes = document.json.bytes
        do throws(Faults) {
            // The check covers the bytes of the message, and so its size.
            _ = try LayerDocument(parsing: bytes)
        } catch {
            throw .faults(error.list.map { $0.advised(in: new) })
        }
        // Checked last, so that invalid assignments are reported first.
        if base == nil, let highest, !isReplacing { throw .lost(version: highest) }
        version = next
        self.bytes = bytes
    }

    /// Removes the document.
    ///
    /// - Parameter highest: the highest version of this layer that gateways report. They need the removal even if the broker
    ///   has no document.
    init(removing name: LayerName, base: RetainedDocument?, highest: Int64?) {
        self.name = name
        self.base = base
        difference = Difference(from: base?.sections ?? .object([]), to: .object([]))
        version = nil
        bytes = base == nil && highest == nil ? nil : []
    }

    /// Whether it removes the document.
    var isRemoval: Bool { bytes?.isEmpty ?? false }

    /// The revision in a sentence: `version 8 of TOPIC`.
    func description(root: String) -> String {
        let what = version.map { "version \($0)" } ?? "the removal"
        return "\(what) of \(name.topic(root: root))"
    }

    /// Whether the broker's document is this revision; `nil` is no document.
    func isShown(as document: RetainedDocument?) -> Bool {
        guard let bytes else { return false }
        // The bytes of an oversized document are unknown, and so empty.
        guard let document else { return isRemoval }
        return !bytes.isEmpty && document.bytes == bytes
    }
}

extension Assignment {
    /// The fault of an assignment that removes an unknown key from a document without that key.
    fileprivate func faults(on document: JSON) -> [Fault] {
        guard value == .null, !isLiteral, document.applying(self) == document else { return [] }
        return JSON.object([]).applying(keepingNulls).faultsOfSections
    }
}
