import Contract
import JSON
import Testing

@Suite("documents with many faults")
struct ManyFaultsTests {
    @Test("only the first 200 faults have a spelling suggestion, over all sections")
    func suggestions() throws {
        // Each key is one letter from “major” or “windowMs”.
        func section(_ word: String, _ count: Int) -> String {
            let letters = Array("bcdefghijklmnopqrstuvwxyz")
            let keys = (0..<count).map { index in
                "\(word)\(letters[index / letters.count])\(letters[index % letters.count])"
            }
            return keys.map { "\"\($0)\":1" }.joined(separator: ",")
        }
        let text =
            #"{"version":1,"advertise":{\#(section("measuredPower", 150))},"#
            + #""report":{\#(section("windowMs", 600))}}"#
        do throws(Faults) {
            _ = try LayerDocument(parsing: Array(text.utf8))
            Issue.record("no faults")
        } catch {
            #expect(error.list.count == 750)
            let suggested = error.list.map { $0.message.contains("did you mean") }
            #expect(suggested.prefix(200).allSatisfy { $0 })
            #expect(suggested.dropFirst(200).allSatisfy { !$0 })
            #expect(error.list.allSatisfy { $0.code == .unknownKey })
        }
    }
}
