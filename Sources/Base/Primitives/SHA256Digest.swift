/// The SHA-256 digest of a message (FIPS 180-4).
package struct SHA256Digest: Hashable, Sendable {
    /// Eight words, the most significant first.
    private let words: SIMD8<UInt32>

    /// The first block of many messages, hashed once.
    package struct Beginning: Sendable {
        fileprivate let hash: SIMD8<UInt32>

        /// - Parameter block: the first 64 bytes; zeros stand for those that it does not have.
        package init(_ block: [UInt8]) {
            let whole = (block + repeatElement(0, count: blockBytes)).prefix(blockBytes)
            hash = initialHash &+ compressed(Array(whole), from: 0, into: initialHash)
        }
    }

    /// The digest of `message`.
    ///
    /// - Parameter beginning: the message's first block, if `message` is what follows it.
    package init(of message: [UInt8], after beginning: Beginning? = nil) {
        var hash = beginning?.hash ?? Self.initialHash
        let before = beginning == nil ? 0 : Self.blockBytes
        let padded = message + Self.padding(after: before + message.count)
        for start in stride(from: 0, to: padded.count, by: Self.blockBytes) {
            hash &+= Self.compressed(padded, from: start, into: hash)
        }
        words = hash
    }

    /// The 32 bytes of the digest.
    package var bytes: [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 4] >> UInt32(24 - 8 * ($0 % 4))) }
    }

    /// Reads 64 hexadecimal digits in lower case.
    package init?(hexadecimal text: String) {
        guard text.utf8.count == 64 else { return nil }
        var words = SIMD8<UInt32>()
        for (index, digit) in text.utf8.enumerated() {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            words[index / 8] = words[index / 8] << 4 | UInt32(value)
        }
        self.words = words
    }

    /// Whether both are equal, in a time that does not depend on where they differ.
    package func equalsInConstantTime(_ other: SHA256Digest) -> Bool {
        let difference = words ^ other.words
        return (0..<8).reduce(UInt32(0)) { $0 | difference[$1] } == 0
    }

    /// The bytes of a block.
    package static let blockBytes = 64

    /// Section 5.3.3.
    private static let initialHash = SIMD8<UInt32>(
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
        0x5be0_cd19)

    /// Section 4.2.2.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
        0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
        0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
        0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
        0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
        0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
        0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
        0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
        0xc671_78f2,
    ]

    /// Section 5.1.1: a one bit, zeros, and the message's length in bits.
    private static func padding(after count: Int) -> [UInt8] {
        let zeros = (2 * blockBytes - 9 - count % blockBytes) % blockBytes
        let bits = UInt64(count) &* 8
        return [0x80] + [UInt8](repeating: 0, count: zeros)
            + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }
    }

    /// Section 6.2.2, steps 1 to 3.
    private static func compressed(
        _ bytes: [UInt8], from start: Int, into hash: SIMD8<UInt32>
    ) -> SIMD8<UInt32> {
        var schedule = [UInt32](repeating: 0, count: 64)
        for index in 0..<blockBytes {
            schedule[index / 4] = schedule[index / 4] << 8 | UInt32(bytes[start + index])
        }
        for index in 16..<64 {
            let (early, late) = (schedule[index - 15], schedule[index - 2])
            schedule[index] =
                (late.rotated(17) ^ late.rotated(19) ^ late >> 10) &+ schedule[index - 7]
                &+ (early.rotated(7) ^ early.rotated(18) ^ early >> 3) &+ schedule[index - 16]
        }
        var state = hash
        for (constant, word) in zip(constants, schedule) {
            let (a, b, c) = (state[0], state[1], state[2])
            let (e, f, g) = (state[4], state[5], state[6])
            let first =
                state[7] &+ (e.rotated(6) ^ e.rotated(11) ^ e.rotated(25))
                &+ (e & f ^ ~e & g) &+ constant &+ word
            let second =
                (a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)) &+ (a & b ^ a & c ^ b & c)
            state = SIMD8(first &+ second, a, b, c, state[3] &+ first, e, f, g)
        }
        return state
    }
}

extension SHA256Digest: CustomStringConvertible {
    /// 64 hexadecimal digits in lower case.
    package var description: String {
        (0..<8).map { index in
            let digits = String(words[index], radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }
}

extension UInt32 {
    /// Rotated to the right.
    fileprivate func rotated(_ bits: UInt32) -> UInt32 { self >> bits | self << (32 - bits) }
}
