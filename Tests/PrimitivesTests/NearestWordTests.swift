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

    @Test("all near words are in the order of their distance") func all() {
        let words = ["store-421", "store-043", "store-42", "store-042", "till"]
        #expect(
            NearestWord.all(to: "store-042", among: words)
                == ["store-042", "store-043", "store-42", "store-421"])
    }

    @Test("an empty list has no nearest word") func none() {
        #expect(NearestWord.to("host", among: []) == nil)
    }
}
