import Glibc

/// The time zone of the machine's clock, by which `LocalDay` counts.
package enum LocalZone {
    /// The name in the time zone database, such as `Europe/Berlin`; `nil` for a zone without one.
    package static var name: String? {
        name(setting: getenv("TZ").map { String(cString: $0) }, link: target(of: "/etc/localtime"))
    }

    private static let database = "/usr/share/zoneinfo/"

    /// - Parameters:
    ///   - setting: the variable TZ: a name, a path, or a rule without a name (tzset(3)).
    ///   - link: where `/etc/localtime` points to (localtime(5)).
    package static func name(setting: String?, link: String?) -> String? {
        guard let setting else { return link.flatMap(nameInPath) }
        let value = setting.hasPrefix(":") ? String(setting.dropFirst()) : setting
        if value.isEmpty { return "UTC" }
        if value.hasPrefix("/") { return nameInPath(value) }
        return File.exists(database + value) ? value : nil
    }

    private static func nameInPath(_ path: String) -> String? {
        path.split(separator: "/zoneinfo/", maxSplits: 1).dropFirst().first.map { String($0) }
    }

    private static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
