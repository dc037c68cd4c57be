import Foundation
import Primitives
import Subscriber
import Terminal
import TestSupport
import Testing

@Suite struct NameCacheTests {
    private let folder: TemporaryFolder
    private var cache: NameCache {
        let path = folder.path
        return NameCache(Environment { $0 == "XDG_CACHE_HOME" ? path : nil })
    }
    private var now: UnixTime { UnixTime(second: Int64(Date().timeIntervalSince1970)) }

    init() throws { folder = try TemporaryFolder() }

    @Test("the names of the last command are kept for a week")
    func lifetime() {
        #expect(cache.names(wall: now).isEmpty)
        let names = [GatewayName(site: "s", id: "a"), GatewayName(site: "s", id: "b")]
        cache.store(names + [GatewayName(site: "t", id: "a")])
        cache.store(names)
        #expect(cache.names(wall: now) == names)
        #expect(cache.names(wall: now + .seconds(6 * 86_400)) == names)
        #expect(cache.names(wall: now + .seconds(8 * 86_400)).isEmpty)
    }

    @Test("lines that are no names never reach a shell")
    func foreignLines() throws {
        try Tool.run("mkdir", ["-p", folder.file("sightline")])
        try folder.write("s/a\n$(rm)/b\ns/a b\n/\ns\ns/a/b\n", to: "sightline/gateways")
        #expect(cache.names(wall: now) == [GatewayName(site: "s", id: "a")])
    }

    @Test("a folder that can't be written is no fault")
    func unwritable() throws {
        try folder.write("", to: "file")
        let path = folder.file("file")
        let cache = NameCache(Environment { $0 == "XDG_CACHE_HOME" ? path : nil })
        cache.store([GatewayName(site: "s", id: "a")])
        #expect(cache.names(wall: now).isEmpty)
    }
}
