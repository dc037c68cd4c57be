import Primitives
import Testing

@Suite struct NearestWordTests {
    @Test(
        "A slip finds the word that was meant",
        arguments: [
            ("hots", "host"), ("prot", "port"), ("HOST", "host"), ("usrname", "username"),
            ("user-name", "username"), ("passwordFiel", "passwordFile"), ("x", nil),
            ("banana", nil), ("", nil), ("pot", "port"), (String(repeating: "p", count: 1000), nil),
        ] as [(String, String?)])
    func nearest(word: String, meant: String?) {
        let words = ["host", "port", "username", "passwordFile"]
        #expect(NearestWord.to(word, among: words) == meant)
    }

    @Test("Among nothing, nothing is near") func none() {
        #expect(NearestWord.to("host", among: []) == nil)
    }
}
