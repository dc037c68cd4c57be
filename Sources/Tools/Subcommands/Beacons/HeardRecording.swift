import Contract
import Inventory
import Posix

/// What gateways heard, from recorded messages.
struct HeardRecording {
    private(set) var heard = HeardBeacons()
    /// Lines that are no messages.
    private(set) var invalid = 0
    /// `nil` for all sites.
    private let site: String?

    init(site: String?) { self.site = site }

    mutating func read(_ path: String) throws(TextFile.Unreadable) {
        let lines = try LineReader(path: path)
        while let line = try lines.next() { take(line) }
    }

    mutating func take(_ line: ArraySlice<UInt8>) {
        switch InputLine(line) {
        case .blank, .other: break
        case .invalid: invalid += 1
        case .sightings(let bytes, let topics):
            guard let message = try? SightingsMessage(decoding: bytes) else {
                invalid += 1
                return
            }
            take(message, from: topics)
        }
    }

    /// - Parameter topics: name the site and the gateway; without them, the message does.
    mutating func take(_ message: SightingsMessage, from topics: Topics?) {
        let (site, gateway) = (topics?.site ?? message.site, topics?.gateway ?? message.gateway)
        guard self.site == nil || self.site == site else { return }
        heard.take(message, from: "\(site)/\(gateway)")
    }
}
