import Contract
import JSON

/// What becomes of one layer's document: its next version, or the one that stands.
struct Edition {
    let name: LayerName
    /// What the broker has; `nil` where it has nothing.
    let base: RetainedDocument?
    let difference: Difference
    /// The version that gateways should have in force; `nil` for no document.
    let version: Int64?
    /// What is to be published, the empty message that removes a document with it; `nil` where nothing is.
    let bytes: [UInt8]?

    /// Why there is none.
    enum Flaw: Error, Equatable {
        /// What the broker has can't be read, and nobody said that it may be replaced.
        case unreadable(String)
        /// The document would be wrong.
        case faults([Fault])
        /// A version is known that nothing can follow.
        case noVersionLeft
        /// Gateways know a version, but the broker has no document: what else it set would be lost unseen.
        case lost(version: Int64)
    }

    /// - Parameters:
    ///   - highest: the highest version of this layer that gateways have seen: they ignore what is not later.
    ///   - isReplacing: begins with an empty document.
    init(
        of name: LayerName, base: RetainedDocument?, wishes: [Assignment], highest: Int64?,
        isReplacing: Bool
    ) throws(Flaw) {
        self.name = name
        self.base = base
        if let objection = base?.objection, !isReplacing { throw .unreadable(objection) }
        let old = base?.sections ?? .object([])
        let new = wishes.reduce(isReplacing ? .object([]) : old) { $0.applying($1) }
        difference = Difference(from: old, to: new)
        let slips = wishes.flatMap { $0.slips(on: old) }
        if !slips.isEmpty { throw .faults(slips) }
        let known = [base?.version, highest].compactMap(\.self).max()
        let isOutrun = base?.version != known
        let isWithoutVersion = base != nil && base?.version == nil
        guard !difference.isEmpty || isOutrun || isWithoutVersion else {
            version = base?.version
            bytes = nil
            return
        }
        guard known ?? 0 < LayerDocument.versions.upperBound else { throw .noVersionLeft }
        let next = (known ?? 0) + 1
        let document = LayerDocument(version: next, patch: new)
        let bytes = Array(document.json.text.utf8)
        do throws(Faults) {
            // What is sent is what is checked, its size with it.
            _ = try LayerDocument(parsing: bytes)
        } catch {
            throw .faults(error.list.map { $0.advised(in: new) })
        }
        // Last: a slip in the wish is told first, as ever.
        if base == nil, let highest, !isReplacing { throw .lost(version: highest) }
        version = next
        self.bytes = bytes
    }

    /// No document any more.
    ///
    /// - Parameter highest: the highest version of this layer that gateways have seen: they want to be told, also where
    ///   the broker has nothing.
    init(removing name: LayerName, base: RetainedDocument?, highest: Int64?) {
        self.name = name
        self.base = base
        difference = Difference(from: base?.sections ?? .object([]), to: .object([]))
        version = nil
        bytes = base == nil && highest == nil ? nil : []
    }

    /// It takes a document away.
    var isRemoval: Bool { bytes?.isEmpty ?? false }

    /// What it is, for a sentence: `version 8 of` a topic.
    func description(root: String) -> String {
        let what = version.map { "version \($0)" } ?? "the removal"
        return "\(what) of \(name.topic(root: root))"
    }

    /// Whether the broker shows what is to be published; `nil` for no document.
    func isShown(as document: RetainedDocument?) -> Bool {
        guard let bytes else { return false }
        // A document that is too large to be taken has no bytes either.
        guard let document else { return isRemoval }
        return !bytes.isEmpty && document.bytes == bytes
    }
}

extension Assignment {
    /// The unknown key that it takes out of a document that does not have it: a slip that would make no difference.
    fileprivate func slips(on document: JSON) -> [Fault] {
        guard value == .null, !isLiteral, document.applying(self) == document else { return [] }
        return JSON.object([]).applying(keepingNulls).faultsOfSections
    }
}
