import CLinux

/// Random bits from the kernel (getrandom(2)).
package enum Random {
    /// 64 unpredictable bits.
    package static func word() -> UInt64 {
        var word: UInt64 = 0
        let count = withUnsafeMutableBytes(of: &word) { getrandom($0.baseAddress, $0.count, 0) }
        // Only a kernel without getrandom gets here; Swift's own generator then has to do.
        return count == MemoryLayout<UInt64>.size ? word : UInt64.random(in: .min ... .max)
    }
}
