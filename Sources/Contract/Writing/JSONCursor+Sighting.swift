import Beacons
import Glibc
import Sightings

extension JSONCursor {
    /// The most bytes that a sighting takes with its separators: some 300 of keys and punctuation,
    /// a UUID, and 15 numbers, eight of them with up to 20 digits.
    static let maxSightingBytes = 768

    /// One element of the member `sightings`.
    @inline(__always)
    mutating func put(_ sighting: Sighting, in window: WindowLimits, stamp: Stamp) {
        put(sighting.identity)
        put(#","measuredPower":"#)
        put(sighting.measuredPower)
        put(#","count":"#)
        put(sighting.count)
        let signal = sighting.signal
        if signal.count > 0 { put(signal, in: window, stamp: stamp) }
        put(#","firstSeen":"#)
        put(stamp.milliseconds(of: sighting.firstSeen) &- window.start)
        put(#","lastSeen":"#)
        put(stamp.milliseconds(of: sighting.lastSeen) &- window.start)
        if signal.count > 0 {
            put(#","maxAt":"#)
            put(stamp.milliseconds(of: signal.maxAt) &- window.start)
        }
        put(#","senders":"#)
        put(sighting.senders)
        if sighting.isEcho { put(#","echo":true"#) }
        put("}")
    }

    /// The opening brace, the type and the members that identify the beacon.
    @inline(__always)
    private mutating func put(_ identity: BeaconIdentity) {
        guard identity.isIBeacon else { return putOther(identity) }
        put(#"{"type":"ibeacon","uuid":""#)
        put(identity.uuid)
        put(#"","major":"#)
        put(identity.major)
        put(#","minor":"#)
        put(identity.minor)
    }

    private mutating func putOther(_ identity: BeaconIdentity) {
        put(#"{"type":""#)
        put(text: identity.format.word)
        switch identity.format {
        case .eddystoneUID:
            put(#"","namespace":""#)
            put(hexadecimal: identity.high, digits: 16)
            put(hexadecimal: identity.low >> 48, digits: 4)
            put(#"","instance":""#)
            put(hexadecimal: identity.low & 0xffff_ffff_ffff, digits: 12)
        case .iBeacon, .altBeacon:
            put(#"","id":""#)
            put(hexadecimal: identity.high, digits: 16)
            put(hexadecimal: identity.low, digits: 16)
            put(hexadecimal: UInt64(identity.suffix), digits: 8)
        }
        put(#"""#)
    }

    @inline(__always)
    private mutating func put(
        _ signal: SignalStatistics, in window: WindowLimits, stamp: Stamp
    ) {
        put(#","rssi":{"min":"#)
        put(signal.min)
        put(#","max":"#)
        put(signal.max)
        put(#","mean":"#)
        put(hundredthsOf: signal.mean)
        put(#","stddev":"#)
        put(hundredthsOf: signal.standardDeviation)
        put(#","last":"#)
        put(signal.last)
        put(#"},"power":{"mean":"#)
        put(hundredthsOf: 10 * log10(signal.meanMilliwatts))
        put(#","centroid":"#)
        // The nearest may be the window's very end.
        let centroid = stamp.nearestMilliseconds(of: signal.centroid) &- window.start
        put(max(0, min(centroid, window.end &- window.start)))
        put("}")
    }
}
