import Configuration
import Testing

@Suite struct StateDirectoryTests {
    @Test("the file precedes systemd, systemd precedes XDG, XDG precedes the home folder")
    func order() {
        var environment = [
            "STATE_DIRECTORY": "/var/lib/a:/var/lib/b", "XDG_STATE_HOME": "/x", "HOME": "/home/u",
        ]
        func path(_ configured: String? = nil) -> String? {
            StateDirectory.path(configured: configured) { environment[$0] }
        }
        #expect(path("/c") == "/c")
        #expect(path() == "/var/lib/a")
        environment["STATE_DIRECTORY"] = ""
        #expect(path() == "/x/sightline")
        environment["XDG_STATE_HOME"] = "relative"
        #expect(path() == "/home/u/.local/state/sightline")
        environment["HOME"] = nil
        #expect(path() == nil)
    }
}
