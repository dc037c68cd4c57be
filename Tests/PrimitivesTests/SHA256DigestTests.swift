import Primitives
import Testing

@Suite("SHA-256")
struct SHA256DigestTests {
    /// Examples of NIST (FIPS 180-4 test vectors), and lengths around a block's end by coreutils' `sha256sum`.
    static let examples: [(String, String)] = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            String(repeating: "a", count: 55),
            "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"
        ),
        (
            String(repeating: "a", count: 56),
            "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"
        ),
        (
            String(repeating: "a", count: 64),
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ]

    @Test("matches known digests", arguments: examples)
    func known(message: String, digest: String) {
        let computed = SHA256Digest(of: Array(message.utf8))
        #expect("\(computed)" == digest)
        #expect(SHA256Digest(hexadecimal: digest) == computed)
    }

    @Test(
        "other texts are no digests",
        arguments: [
            "", "abc", String(repeating: "A", count: 64), String(repeating: "g", count: 64),
            String(repeating: "0", count: 63), String(repeating: "0", count: 66),
            String(repeating: "0", count: 63) + "é",
        ])
    func invalid(text: String) {
        #expect(SHA256Digest(hexadecimal: text) == nil)
    }
}
