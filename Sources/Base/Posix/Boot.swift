/// The machine's boot, which the boot clock belongs to.
package enum Boot {
    /// A UUID of the kernel's, another one at each boot (random(4)); `nil` where there is no /proc.
    package static var id: String? {
        guard let bytes = try? File.contents(of: "/proc/sys/kernel/random/boot_id", maxBytes: 64)
        else { return nil }
        let text = String(decoding: bytes.prefix { $0 > 0x20 && $0 < 0x7f }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }
}
