import Beacons
import JSON

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
