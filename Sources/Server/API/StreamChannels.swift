import HTTP

/// The channels of server-sent events: of each site and of all, with and without minutes.
///
/// Minutes are stored results, and need the scope `read`.
final class StreamChannels {
    private struct Key: Hashable {
        let site: String?
        let withMinutes: Bool
    }

    private var channels: [Key: EventChannel] = [:]
    private let epoch: String

    init(epoch: String, sites: [String]) {
        self.epoch = epoch
        add(site: nil)
        for site in sites { add(site: site) }
    }

    func add(site: String?) {
        for withMinutes in [false, true] {
            let key = Key(site: site, withMinutes: withMinutes)
            guard channels[key] == nil else { continue }
            channels[key] = EventChannel(EventRing(epoch: epoch))
        }
    }

    /// - Parameter site: `nil` for all sites.
    /// - Returns: `nil` for an unknown site.
    func channel(of site: String?, withMinutes: Bool) -> EventChannel? {
        channels[Key(site: site, withMinutes: withMinutes)]
    }

    /// Sends an event about a site.
    func publish(_ name: String, _ data: [UInt8], of site: String, isMinute: Bool = false) {
        for place in [nil, site] {
            for withMinutes in isMinute ? [true] : [false, true] {
                channels[Key(site: place, withMinutes: withMinutes)]?.publish(name, data)
            }
        }
    }

    /// Sends an event about the server.
    func publishToAll(_ name: String, _ data: [UInt8]) {
        for channel in channels.values { channel.publish(name, data) }
    }
}
