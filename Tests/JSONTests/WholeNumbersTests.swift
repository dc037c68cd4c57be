import JSON
import Testing

@Suite("whole numbers of 64 bits")
struct WholeNumbersTests {
    private static func read(_ text: String) -> (number: UInt64?, fault: String?) {
        do throws(Faults) {
            let number = try ObjectReader.decode(
                parsing: Array("{\"seq\":\(text)}".utf8), maxBytes: 1000, unknownKeys: .areIgnored
            ) { $0.optionalInteger("seq", in: 0...UInt64.max) }
            return (number, nil)
        } catch {
            return (nil, error.list.first?.message)
        }
    }

    @Test(
        "numbers up to 2⁶⁴ − 1 are exact",
        arguments: [
            0, 1 << 53 + 1, 1 << 63 - 1, 1 << 63, 1 << 63 + 1, 1 << 63 + 2, .max - 1, .max,
        ] as [UInt64])
    func exact(number: UInt64) {
        #expect(Self.read("\(number)").number == number)
    }

    @Test("a larger number, a negative one and a part of one are faults with their range")
    func faults() {
        let range = "seq must be 0…18446744073709551615, not "
        #expect(Self.read("18446744073709551616").fault?.hasSuffix("too large to hold") == true)
        #expect(Self.read("-1").fault == range + "-1")
        #expect(Self.read("1e30").fault == range + "1e+30")
        #expect(Self.read("0.5").fault == "seq must be a whole number, not 0.5")
        #expect(Self.read("1e3").number == 1000)
    }

    @Test("both numbers of a range are exact")
    func range() throws {
        let last = UInt64.max - 1
        let text = "{\"seqs\":[\(last - 2),\(last)]}"
        let range = try ObjectReader.decode(
            parsing: Array(text.utf8), maxBytes: 1000, unknownKeys: .areIgnored
        ) { $0.range("seqs", upTo: last) }
        #expect(range == last - 2...last)
    }
}
