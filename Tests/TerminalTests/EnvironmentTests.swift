import Terminal
import Testing

@Suite struct EnvironmentTests {
    @Test(
        "the locale determines UTF-8",
        arguments: [
            (["LANG": "C.UTF-8"], true), (["LANG": "de_DE.utf8"], true), (["LANG": "C"], false),
            (["LC_ALL": "C", "LANG": "C.UTF-8"], false), (["LC_ALL": "", "LANG": "C.UTF-8"], true),
            ([:], false), (["LC_CTYPE": "en_US.UTF-8@euro"], true),
        ] as [([String: String], Bool)])
    func locale(variables: [String: String], isUTF8: Bool) {
        #expect(Environment { variables[$0] }.isUTF8 == isUTF8)
    }
}
