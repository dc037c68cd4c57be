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
            ResultTopics.Kind.all.map { server.topic($0, site: "s", item: "q") }
            + [server.status(of: "n")]
        let addresses = try ContractFiles.text("asyncapi.yaml").split(separator: "\n")
            .map { $0.drop { $0 == " " } }
            .filter { $0.hasPrefix("address: ") }
            .map { line in
                String(line.dropFirst("address: ".count)).replacing("'", with: "")
                    .replacing("{root}", with: "a/b").replacing("{site}", with: "s")
                    .replacing("{gateway}", with: "g").replacing("{resultsRoot}", with: "r")
                    .replacing("{queue}", with: "q")
                    .replacing("{region}", with: "q").replacing("{server}", with: "n")
            }
        #expect(addresses.sorted() == (kinds + layers + results).sorted())
    }
}
