import Sighting

/// What is left of a store that was damaged and set aside.
///
/// Nothing here throws: what can't be read is not there.
package protocol Wreck: AnyObject {
    /// Rows that it says it had; `nil` where not even that can be read.
    var count: Int? { get }
    /// Rows up to this one may have been handed out; `nil` when that can't be believed.
    var claimed: Int64? { get }
    /// The places of the rows that may still be read, in order.
    func ids() -> [Int64]
    /// What was stored there, once it is certain; and whether its row says that it may have been handed out.
    func parcel(_ id: Int64) -> (parcel: Parcel, isFrozen: Bool)?
    /// Losses that no message declares yet, by session, as far as they make sense.
    func losses() -> [String: Loss]
    /// Lets go of it, as it is.
    func close()
}
