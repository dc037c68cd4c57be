/// The pseudonym of a beacon. The estimator never sees an identity.
///
/// The caller derives it from the identity when it parses a message. Equal identities must give equal pseudonyms.
package struct Tag: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: Tag, right: Tag) -> Bool { left.rawValue < right.rawValue }
}
