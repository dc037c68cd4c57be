import Contract
import Results
import Testing

@Suite struct AsyncAPITests {
    @Test("the channels' addresses are the topics, each once")
    func addresses() throws {
        let topics = try #require(Topics(root: "a/b", site: "s", gateway: "g"))
        let kinds = Topics.Kind.allCases.map { topics.topic($0) }
        let layers = Topics.Layer.allCases.map { topics.desired($0) }
        let server = ResultTopics(root: "r")
        let results =
            ResultTopics.Kind.all.map { kind in
                let item = Array(repeating: "q", count: kind.itemLevels).joined(separator: "/")
                return server.topic(kind, site: "s", item: item)
            }
            + [server.status(of: "n")]
        let addresses = try ContractFiles.text("asyncapi.yaml").split(separator: "\n")
            .map { $0.drop { $0 == " " } }
            .filter { $0.hasPrefix("address: ") }
            .map { line in
                String(line.dropFirst("address: ".count)).replacing("'", with: "")
                    .replacing("{root}", with: "a/b").replacing("{site}", with: "s")
                    .replacing("{gateway}", with: "g").replacing("{resultsRoot}", with: "r")
                    .replacing("{queue}", with: "q")
                    .replacing("{uuid}/{major}/{minor}", with: "q/q/q").replacing(
                        "{region}", with: "q"
                    ).replacing(
                        "{zone}", with: "q"
                    ).replacing("{server}", with: "n")
            }
        #expect(addresses.sorted() == (kinds + layers + results).sorted())
    }
}
