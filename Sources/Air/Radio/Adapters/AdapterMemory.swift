import Primitives

/// Identifies the gateway's adapter: first by the configured index, then by the address, at whichever index it appears.
package struct AdapterMemory: Sendable {
    /// An adapter of this machine.
    package struct Adapter: Equatable, Sendable {
        package let device: UInt16
        /// `nil` if the kernel does not know it.
        package let address: UInt64?
    }

    /// After this time, another adapter at the index counts as the replacement.
    package static let replacementDelay: Duration = .seconds(60)

    /// The last known index.
    package private(set) var device: UInt16
    private var address: UInt64?
    private var otherSince: Instant?

    /// - Parameter device: the configured index.
    package init(device: UInt16) { self.device = device }

    /// Stores the address after the adapter was opened.
    package mutating func learn(_ adapters: [Adapter]) {
        address = adapters.first { $0.device == device }?.address ?? address
    }

    /// The index of the adapter; `nil` if it is gone and another adapter has its index.
    package mutating func find(among adapters: [Adapter], at now: Instant) -> UInt16? {
        guard let address else { return device }
        let here = adapters.first { $0.device == device }
        // Some cheap adapters share one address: the index decides between them.
        let own = here?.address == address ? here : adapters.first { $0.address == address }
        if let own {
            otherSince = nil
            device = own.device
            return device
        }
        // Opening the adapter reports that it is missing, or reads its address.
        guard here?.address != nil else {
            otherSince = nil
            return device
        }
        let since = otherSince ?? now
        otherSince = since
        guard now - since >= Self.replacementDelay else { return nil }
        otherSince = nil
        self.address = nil
        return device
    }
}
