import Sighting

/// A batch on its way: everything that its message is made of.
///
/// Nothing of it but `attempts` changes after the first attempt, so that a second delivery has the same bytes.
package struct Entry: Equatable, Sendable {
    /// What the outbox knows the batch by.
    package struct ID: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }
    }

    package let id: ID
    package let batch: Batch
    /// What wall time the batch is labelled with, decided once, when it is first sent.
    package let stamp: Stamp
    /// To be declared in this message.
    package let lost: Loss?
    /// How often it was handed out, this time included.
    package internal(set) var attempts = 1
}
