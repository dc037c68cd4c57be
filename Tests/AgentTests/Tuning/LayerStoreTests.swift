import Contract
import Foundation
import JSON
import Logging
import Primitives
import TestSupport
import Testing

@testable import Agent

@Suite struct LayerStoreTests {
    private static func topics(
        root: String = Topics.usualRoot, site: String = "s", gateway: String = "g"
    ) throws -> Topics {
        try #require(Topics(root: root, site: site, gateway: gateway))
    }

    private static func layers() throws -> DatedLayers {
        DatedLayers(try documents(), since: LayerTimes(gateway: wall))
    }

    private static let wall: UnixTime = 1_780_000_000_125

    private static func documents() throws -> Layers {
        Layers(
            fleet: try LayerDocument(
                parsing: Array(
                    #"{"version":3,"advertise":{"major":null,"uuid":"\#(SettingsReconcilerTests.uuid)"}}"#
                        .utf8)),
            gateway: try LayerDocument(parsing: Array(#"{"version":7,"report":null}"#.utf8)))
    }

    private let log = Log(level: .silent)

    @Test("saves layers to a new folder and loads them")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let store = LayerStore(folder: folder.path + "/a/b", topics: try Self.topics())
        #expect(store.load(log: log) == DatedLayers())
        try store.save(try Self.layers())
        #expect(try store.load(log: log) == Self.layers())
        try store.save(DatedLayers())
        #expect(store.load(log: log) == DatedLayers())
    }

    @Test("a file without times has none; a time without a document is left out")
    func withoutTimes() throws {
        let folder = try TemporaryFolder()
        let store = LayerStore(folder: folder.path, topics: try Self.topics())
        func load(_ rest: String) throws -> LayerTimes {
            let text =
                #"{"v":1,"root":"sightline/v1","site":"s","gateway":"g","layers":{"fleet":{"version":3}}"#
            try Data((text + rest).utf8).write(to: URL(fileURLWithPath: store.path))
            let layers = store.load(log: log)
            #expect(layers.documents.versions == LayerVersions(fleet: 3))
            return layers.since
        }
        #expect(try load("}") == LayerTimes())
        let since = #","since":{"fleet":1780000000125,"site":1780000000125}}"#
        #expect(try load(since) == LayerTimes(fleet: Self.wall))
    }

    @Test("a moved gateway loads only the layers that still apply")
    func moved() throws {
        let folder = try TemporaryFolder()
        var layers = try Self.documents()
        layers.site = LayerDocument(version: 1, patch: .object([]))
        try LayerStore(folder: folder.path, topics: try Self.topics()).save(DatedLayers(layers))
        func load(_ topics: Topics) -> LayerVersions {
            LayerStore(folder: folder.path, topics: topics).load(log: log).documents.versions
        }
        #expect(load(try Self.topics(gateway: "h")) == LayerVersions(fleet: 3, site: 1))
        #expect(load(try Self.topics(site: "t")) == LayerVersions(fleet: 3))
        #expect(load(try Self.topics(root: "r")) == LayerVersions())
    }

    @Test("a corrupt file is renamed and loads no layers", arguments: [0x1a7e5])
    func damage(seed: UInt64) throws {
        print("seed \(seed)")
        let folder = try TemporaryFolder()
        let store = LayerStore(folder: folder.path, topics: try Self.topics())
        try store.save(try Self.layers())
        let original = try Data(contentsOf: URL(fileURLWithPath: store.path))
        let damaged = store.path + ".damaged"
        for count in 0..<original.count - 1 {
            try original.prefix(count).write(to: URL(fileURLWithPath: store.path))
            #expect(store.load(log: log) == DatedLayers())
            #expect(FileManager.default.fileExists(atPath: damaged))
            #expect(!FileManager.default.fileExists(atPath: store.path))
        }
        for index in original.indices {
            var bytes = original
            bytes[index] ^= 0x01
            try bytes.write(to: URL(fileURLWithPath: store.path))
            // Some flips give another valid file; none crashes.
            _ = store.load(log: log)
        }
        try store.save(try Self.layers())
        #expect(try store.load(log: log) == Self.layers())
    }

    @Test("saved layers that conflict with a changed local file stay pending")
    func changedLocalFile() throws {
        let local = try JSON(
            parsing: Array(#"{"advertise":{"major":1,"minor":1}}"#.utf8), maxBytes: 1000)
        let restored = Layers(
            fleet: try LayerDocument(
                parsing: Array(
                    #"{"version":1,"advertise":{"enabled":true,"uuid":"\#(SettingsReconcilerTests.uuid)"}}"#
                        .utf8
                )))
        let whole = SettingsReconciler(
            local: local, settings: try GatewaySettings(merged: local),
            restored: DatedLayers(restored))
        #expect(whole.settings.advertise?.beacon != nil)
        var partial = SettingsReconciler(
            local: .object([]), settings: GatewaySettings(), restored: DatedLayers(restored))
        #expect(partial.settings.advertise == nil)
        #expect(partial.takeReport(session: "s").status == .rejected)
    }
}
