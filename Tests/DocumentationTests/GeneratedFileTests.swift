import Documentation
import Foundation
import Testing

@Suite("generated files")
struct GeneratedFileTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test(
        "every generated file is committed as its declarations have it",
        arguments: GeneratedFile.all.map(\.path))
    func committed(path: String) throws {
        let file = try #require(GeneratedFile.all.first { $0.path == path })
        let committed = try String(
            contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
        // To write them all: swift run manual --generate
        #expect(committed == file.text)
    }
}
