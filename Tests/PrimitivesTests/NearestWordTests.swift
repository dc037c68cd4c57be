import Primitives
import Testing

@Suite struct NearestWordTests {
    @Test(
        "a misspelled word finds the intended one",
        arguments: [
            ("hots", "host"), ("prot", "port"), ("HOST", "host"), ("usrname", "username"),
            ("user-name", "username"), ("passwordFiel", "passwordFile"), ("x", nil),
            ("banana", nil), ("", nil), ("pot", "port"), (String(repeating: "p", count: 1000), nil),
        ] as [(String, String?)])
    func nearest(word: String, meant: String?) {
        let words = ["host", "port", "username", "passwordFile"]
        #expect(NearestWord.to(word, among: words) == meant)
    }

    @Test("an empty list has no nearest word") func none() {
        #expect(NearestWord.to("host", among: []) == nil)
    }
}
