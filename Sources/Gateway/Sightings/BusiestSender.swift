import Beacons

/// The largest number of identities that one sender advertises.
enum BusiestSender {
    /// More identities than one device advertises. A beacon with several slots has up to eight.
    static let usual = 16

    /// The number of identities of one sender in a window, if above the usual; otherwise 0.
    ///
    /// - Parameter senders: one sender of each identity.
    static func identities(of senders: [DeviceAddress], seed: HashSeed) -> Int {
        guard senders.count > usual, mayRepeat(senders, seed) else { return 0 }
        var most = 0
        var run = 0
        var previous: UInt64?
        for sender in senders.lazy.map(\.rawValue).sorted() {
            run = sender == previous ? run + 1 : 1
            previous = sender
            most = max(most, run)
        }
        return most > usual ? most : 0
    }

    /// Whether some hash occurs more often than usual: only then the senders are sorted, which takes ten times as long.
    private static func mayRepeat(_ senders: [DeviceAddress], _ seed: HashSeed) -> Bool {
        var size = 64
        while size < senders.count { size *= 2 }
        var counts = [UInt16](repeating: 0, count: size)
        return senders.contains { sender in
            let place = Int(truncatingIfNeeded: seed.hash(sender.rawValue, 0)) & (size - 1)
            counts[place] += 1
            return counts[place] > usual
        }
    }
}
