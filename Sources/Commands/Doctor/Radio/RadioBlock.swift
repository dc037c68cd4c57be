import Posix

/// A switch that keeps a Bluetooth adapter silent (rfkill(8)).
struct RadioBlock: Equatable {
    /// By software, which `rfkill unblock` undoes.
    var isSoft: Bool
    /// By a real switch, or by what takes its place.
    var isHard: Bool

    /// The switches for an adapter: its own, and those for all Bluetooth of the machine.
    ///
    /// - Parameter folder: where the kernel lists them.
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
