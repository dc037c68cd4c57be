import Beacons
import Glibc
import JSON
import Sightings

/// A place in memory where JSON is being written; its owner ensures sufficient room.
///
/// This is straight-line code over a pointer: one sighting takes some hundred nanoseconds.
/// Measured, appending to an array piece by piece takes several times as long.
struct JSONCursor {
    private(set) var next: UnsafeMutablePointer<UInt8>

    @inline(__always)
    init(_ start: UnsafeMutablePointer<UInt8>) { next = start }

    /// The text of a literal.
    @inline(__always)
    mutating func put(_ text: StaticString) {
        next.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        next += text.utf8CodeUnitCount
    }

    @inline(__always)
    mutating func put(byte: UInt8) {
        next.pointee = byte
        next += 1
    }

    @inline(__always)
    mutating func put(bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            next.update(from: start, count: buffer.count)
            next += buffer.count
        }
    }

    /// A text that JSON need not escape.
    mutating func put(text: String) {
        var text = text
        text.withUTF8 { utf8 in
            guard let start = utf8.baseAddress else { return }
            next.update(from: start, count: utf8.count)
            next += utf8.count
        }
    }

    /// An integer, 20 bytes at most.
    @inline(__always)
    mutating func put<Number: BinaryInteger>(_ number: Number) {
        if number < 0 { put(byte: UInt8(ascii: "-")) }
        put(magnitude: UInt64(truncatingIfNeeded: number.magnitude))
    }

    private mutating func put(magnitude: UInt64) {
        var rest = magnitude
        if rest < 10 {
            put(byte: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest))
            return
        }
        var count = 2
        var limit: UInt64 = 100
        while count < 20, rest >= limit {
            count += 1
            limit = limit &* 10
        }
        var place = next + count
        next = place
        repeat {
            let quotient = rest / 10
            place -= 1
            place.pointee = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest &- quotient &* 10)
            rest = quotient
        } while rest > 0
    }

    /// A number with two digits of fraction at most, without zeros at its end, and never “−0”; 22 bytes at most.
    @inline(__always)
    mutating func put(hundredthsOf value: Double) {
        // RSSI values never produce NaN, or numbers this large.
        let scaled = value.magnitude < 1e15 ? value * 100 : 0
        let hundredths = Int64(scaled + (scaled < 0 ? -0.5 : 0.5))
        if hundredths < 0 { put(byte: UInt8(ascii: "-")) }
        let (whole, fraction) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        put(magnitude: whole)
        guard fraction > 0 else { return }
        let (tenths, rest) = fraction.quotientAndRemainder(dividingBy: 10)
        put(byte: UInt8(ascii: "."))
        put(byte: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: tenths))
        if rest > 0 { put(byte: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest)) }
    }

    /// A UUID, lower case with hyphens, 36 bytes.
    @inline(__always)
    mutating func put(_ uuid: ProximityUUID) {
        put(hexadecimal: uuid.high >> 32, digits: 8)
        put(byte: UInt8(ascii: "-"))
        put(hexadecimal: uuid.high >> 16 & 0xffff, digits: 4)
        put(byte: UInt8(ascii: "-"))
        put(hexadecimal: uuid.high & 0xffff, digits: 4)
        put(byte: UInt8(ascii: "-"))
        put(hexadecimal: uuid.low >> 48, digits: 4)
        put(byte: UInt8(ascii: "-"))
        put(hexadecimal: uuid.low & 0xffff_ffff_ffff, digits: 12)
    }

    @inline(__always)
    mutating func put(hexadecimal value: UInt64, digits: Int) {
        for index in 0..<digits {
            let digit = UInt8(truncatingIfNeeded: value >> UInt64(4 * (digits - 1 - index)) & 15)
            next[index] = digit &+ (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") &- 10)
        }
        next += digits
    }
}

extension JSONCursor {
    /// The most bytes that a sighting takes with its separators: some 400 of keys and punctuation,
    /// a UUID, and 19 numbers, eight of them with up to 20 digits.
    static let maxSightingBytes = 1024

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
        if let telemetry = sighting.telemetry { put(telemetry) }
        put("}")
    }

    private mutating func put(_ telemetry: Eddystone.Telemetry) {
        put(#","telemetry":{"#)
        if let millivolts = telemetry.millivolts {
            put(#""millivolts":"#)
            put(millivolts)
            put(",")
        }
        if let temperature = telemetry.temperature {
            put(#""celsius":"#)
            put(hundredthsOf: Double(temperature) / 256)
            put(",")
        }
        put(#""advertisements":"#)
        put(telemetry.advertisements)
        put(#","uptimeMs":"#)
        put(UInt64(telemetry.uptime) * 100)
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
