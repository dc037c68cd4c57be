import Primitives

/// Which adapter is ours: the one at the configured index at first, and from then on the one with its address, wherever
/// it turns up.
package struct AdapterMemory: Sendable {
    /// An adapter that is there.
    package struct Adapter: Equatable, Sendable {
        package let device: UInt16
        /// `nil` while the kernel does not know it.
        package let address: UInt64?

        package init(device: UInt16, address: UInt64?) {
            self.device = device
            self.address = address
        }
    }

    /// So long (microseconds) another adapter at our index is taken for one that comes and goes with ours; then for its
    /// replacement.
    package static let patience: Int64 = 60_000_000

    /// Where ours is, or was last.
    package private(set) var device: UInt16
    private var address: UInt64?
    private var strangerSince: Instant?

    /// - Parameter device: the configured index.
    package init(device: UInt16) { self.device = device }

    /// Ours has been opened.
    package mutating func learn(_ adapters: [Adapter]) {
        address = adapters.first { $0.device == device }?.address ?? address
    }

    /// Where ours is; `nil` while another adapter has its index and it is nowhere.
    package mutating func find(among adapters: [Adapter], at now: Instant) -> UInt16? {
        guard let address else { return device }
        let here = adapters.first { $0.device == device }
        // Cheap adapters share one address: the index decides between them.
        let ours = here?.address == address ? here : adapters.first { $0.address == address }
        if let ours {
            strangerSince = nil
            device = ours.device
            return device
        }
        // Whoever opens it will say that it is missing, or learn what its address is.
        guard here?.address != nil else {
            strangerSince = nil
            return device
        }
        let since = strangerSince ?? now
        strangerSince = since
        guard now.microseconds(since: since) >= Self.patience else { return nil }
        strangerSince = nil
        self.address = nil
        return device
    }
}
