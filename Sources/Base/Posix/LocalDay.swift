import Glibc
import Primitives

/// A day of the machine's time zone that begins at an hour of its clock, such as 04:00.
///
/// It has 23 or 25 hours where the clock changes.
package struct LocalDay: Equatable, Sendable {
    package let span: Range<UnixTime>
    /// The date of its beginning: `2026-11-22`.
    package let name: String
    /// 1 for Monday to 7 for Sunday (ISO 8601).
    package let weekday: Int

    /// The day that contains a time.
    ///
    /// - Parameter hour: 0 to 3 only where no clock change skips it; 4 is safe everywhere.
    package init(containing moment: UnixTime, beginningAt hour: CInt = 4) {
        var date = Self.date(moment)
        let isBefore = date.tm_hour < hour
        date.tm_mday -= isBefore ? 1 : 0
        var begin = Self.start(of: date, hour)
        let start = mktime(&begin)
        var next = begin
        next.tm_mday += 1
        next.tm_isdst = -1
        let end = mktime(&next)
        span = UnixTime(second: Int64(start))..<UnixTime(second: Int64(max(start + 1, end)))
        weekday = begin.tm_wday == 0 ? 7 : Int(begin.tm_wday)
        name =
            "\(begin.tm_year + 1900)-" + Self.twoDigits(begin.tm_mon + 1) + "-"
            + Self.twoDigits(begin.tm_mday)
    }

    /// The minute of the day on the clock, 0 at midnight.
    package static func clockMinute(of moment: UnixTime) -> Int {
        let date = date(moment)
        return Int(date.tm_hour) * 60 + Int(date.tm_min)
    }

    /// The time of day on the clock: `14:03:07`.
    package static func clockTime(of moment: UnixTime) -> String {
        let date = date(moment)
        return [date.tm_hour, date.tm_min, date.tm_sec].map(twoDigits).joined(separator: ":")
    }

    /// With the date, if it is not that of `now`: `2026-11-22 14:03:07`.
    package static func clockTime(of moment: UnixTime, at now: UnixTime) -> String {
        let (day, today) = (
            LocalDay(containing: moment, beginningAt: 0), LocalDay(containing: now, beginningAt: 0)
        )
        return (day == today ? "" : day.name + " ") + clockTime(of: moment)
    }

    /// The years 1970 to 9999.
    private static let range: ClosedRange<UnixTime> = 86_400_000...253_402_000_000_000

    private static func date(_ moment: UnixTime) -> tm {
        let bounded = min(max(moment, range.lowerBound), range.upperBound)
        var time = time_t(bounded.milliseconds / 1000)
        var date = tm()
        localtime_r(&time, &date)
        return date
    }

    private static func start(of date: tm, _ hour: CInt) -> tm {
        var start = date
        start.tm_hour = hour
        start.tm_min = 0
        start.tm_sec = 0
        start.tm_isdst = -1
        return start
    }

    private static func twoDigits(_ number: CInt) -> String {
        (number < 10 ? "0" : "") + String(number)
    }
}

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
