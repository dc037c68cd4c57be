import Posix

/// A switch that disables a Bluetooth adapter (rfkill(8)).
struct RadioBlock: Equatable {
    /// Blocked by software: `rfkill unblock` removes the block.
    var isSoft: Bool
    /// Blocked by a hardware switch or the firmware.
    var isHard: Bool

    /// The switches of an adapter, and those of all Bluetooth adapters.
    ///
    /// - Parameter folder: the list of the kernel.
    static func all(of adapter: String, in folder: String = "/sys/class/rfkill") -> [RadioBlock] {
        Folder.names(in: folder).compactMap { name in
            let place = "\(folder)/\(name)/"
            guard word(place + "type") == "bluetooth" else { return nil }
            let owner = word(place + "name") ?? ""
            guard owner == adapter || !owner.hasPrefix("hci") else { return nil }
            return RadioBlock(
                isSoft: word(place + "soft") == "1", isHard: word(place + "hard") == "1")
        }
    }

    private static func word(_ path: String) -> String? {
        guard let bytes = try? File.contents(of: path, maxBytes: 100) else { return nil }
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    }
}
