import Sightings

/// A batch on its way: everything that its message is made of.
///
/// Nothing of it but `attempts` changes after the first attempt, so that a second delivery has the same bytes.
package struct Entry: Equatable, Sendable {
    /// What the outbox knows the batch by.
    package struct ID: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        /// What comes from a store has numbers of its own: several sessions may be in there.
        static let firstOfBacklog: UInt64 = 1 << 62
    }

    package let id: ID
    package let parcel: Parcel
    /// How often it was handed out, this time included.
    package internal(set) var attempts = 1

    package var session: String { parcel.origin.session }
    package var batch: Batch { parcel.batch }
    /// What wall time the batch is labelled with, decided once, when it is first sent.
    package var stamp: Stamp { parcel.stamp }
    /// To be declared in this message.
    package var lost: Loss? { parcel.lost }
}
