import Posix

/// The thermometer of the machine.
enum Thermometer {
    /// The first thermal zone of the kernel (Documentation/driver-api/thermal/sysfs-api.rst), in thousandths of a degree.
    private static let path = "/sys/class/thermal/thermal_zone0/temp"

    /// In 1/256 °C; `nil` without a thermometer.
    static func temperature() -> Int16? {
        guard let bytes = try? File.contents(of: path, maxBytes: 32) else { return nil }
        return temperature(String(decoding: bytes, as: UTF8.self))
    }

    /// - Parameter text: what the file has.
    static func temperature(_ text: String) -> Int16? {
        let digits = text.prefix { $0 != "\n" }
        return Int64(digits).flatMap { Int16(exactly: ($0 * 256 / 1000)) }
    }
}
