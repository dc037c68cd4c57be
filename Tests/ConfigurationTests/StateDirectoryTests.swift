import Configuration
import Testing

@Suite struct RuntimeDirectoryTests {
    @Test(
        "systemd's folder, then the user's, then root's",
        arguments: [
            (["RUNTIME_DIRECTORY": "/run/a:/run/b", "XDG_RUNTIME_DIR": "/run/user/1"], "/run/a"),
            (["XDG_RUNTIME_DIR": "/run/user/1"], "/run/user/1/p"),
            (["XDG_RUNTIME_DIR": "relative"], nil),
        ] as [([String: String], String?)])
    func order(environment: [String: String], expected: String?) {
        let path = { (isRoot: Bool) in
            RuntimeDirectory.path(program: "p", isRoot: isRoot) { environment[$0] }
        }
        #expect(path(false) == expected)
        #expect(path(true) == expected ?? "/run/p")
    }
}

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
