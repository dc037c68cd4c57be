import Posix
import Testing

@Suite("the name of the time zone")
struct LocalZoneTests {
    @Test(
        "a zone of the database has its name, and a rule has none",
        arguments: [
            ("Europe/Berlin", nil, "Europe/Berlin"), (":Asia/Tokyo", nil, "Asia/Tokyo"),
            ("/usr/share/zoneinfo/Europe/Oslo", nil, "Europe/Oslo"), ("", nil, "UTC"),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "/usr/share/zoneinfo/Asia/Tokyo", nil),
            (nil, "/usr/share/zoneinfo/America/Indiana/Knox", "America/Indiana/Knox"),
            (nil, "../usr/share/zoneinfo/Etc/UTC", "Etc/UTC"), (nil, "/srv/clock", nil),
            (nil, nil, nil),
        ] as [(String?, String?, String?)])
    func names(setting: String?, link: String?, expected: String?) {
        #expect(LocalZone.name(setting: setting, link: link) == expected)
    }
}
