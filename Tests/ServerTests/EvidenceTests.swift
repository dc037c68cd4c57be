import Facts
import Foundation
import HTTP
import JSON
import Posix
import Primitives
import Queueing
import ResultStore
import StoreSQLite
import TestSupport
import Testing

@testable import Server

@Suite("evidence")
struct EvidenceTests {
    private let noon = QueueServer.noon
    private let files: QueueServer

    init() throws { files = try QueueServer() }

    /// A server with ten seconds of windows, in the fourth of which the till hears somebody.
    private func server(truth: TruthSource? = nil) throws -> (ServerState, Site) {
        let store = files.store()
        let site = try files.site(store)
        var batch = StoreBatch()
        for second in 0..<10 {
            let start = UnixTime(milliseconds: noon + Int64(second) * 1000)
            for gateway in ["e", "t"] {
                let reading = Reading(
                    tag: Tag(rawValue: 1), power: -60, count: 5,
                    seen: start...start + .milliseconds(900),
                    senders: 1)
                let fact = WindowFact(
                    session: gateway, numbers: UInt64(second)...UInt64(second),
                    span: start..<start + .seconds(1),
                    readings: gateway == "t" && second == 3 ? [reading] : [])
                #expect(site.take(fact, from: gateway) == .new)
                batch.add(fact, site: "s", gateway: gateway)
            }
        }
        #expect(store.commit(batch, at: .now) == .durable)
        _ = site.advanceWholly(through: UnixSecond(noon / 1000 + 10))
        return (ServerState(session: .begin(), sites: [site], store: store, truth: truth), site)
    }

    /// Milliseconds after noon.
    private func span(_ from: Int64, _ to: Int64) -> Range<UnixTime> {
        UnixTime(milliseconds: noon + from)..<UnixTime(milliseconds: noon + to)
    }

    private func evidence(
        _ state: ServerState, _ site: Site, _ span: Range<UnixTime>, withWindows: Bool
    ) throws -> JSON {
        let parts = try state.evidence(site, "q", span, withWindows: withWindows)
        var bytes: [UInt8] = []
        while let part = try parts() { bytes += part }
        return try JSON(parsing: bytes, maxBytes: 1 << 22)
    }

    private func runs(_ evidence: JSON, of gateway: String) -> [String] {
        guard case .array(let gateways)? = evidence["gateways"],
            case .array(let runs)? = gateways.first(where: { $0["gateway"] == .string(gateway) })?[
                "runs"]
        else { return [] }
        return runs.map { run in
            guard case .array(let parts) = run, case .integer(let from) = parts[0],
                case .integer(let to) = parts[1], case .string(let state) = parts[2]
            else { return "" }
            return "\(from - noon) \(to - noon) \(state)"
        }
    }

    @Test("the strips of a closed day are those of the day itself")
    func closedDay() throws {
        let (state, site) = try server()
        defer { state.store.close() }
        let expected = ["0 3000 empty", "3000 4000 heard", "4000 10000 empty"]
        let present = try evidence(state, site, span(0, 10_000), withWindows: false)
        #expect(runs(present, of: "t") == expected)
        #expect(present["windows"] == nil)
        _ = site.closeWholeDay(wall: site.today.day.span.upperBound + .seconds(60))
        let past = try evidence(state, site, span(0, 10_000), withWindows: false)
        #expect(runs(past, of: "t") == expected)
        #expect(runs(past, of: "e") == ["0 10000 empty"])
        // It is computed in the loop.
        #expect(throws: Problem.self) {
            _ = try evidence(state, site, span(-7_200_000, 1), withWindows: false)
        }
    }

    @Test("windows are in the answer on request")
    func windows() throws {
        let (state, site) = try server()
        defer { state.store.close() }
        let evidence = try evidence(state, site, span(0, 10_000), withWindows: true)
        guard case .array(let windows)? = evidence["windows"] else {
            throw TestFailure("no windows")
        }
        #expect(windows.count == 20)
        #expect(evidence["truncated"] == false)
    }

    @Test("an answer that has not all windows says so", arguments: [10_000, 10_001])
    func truncated(count: Int) throws {
        let store = files.store()
        defer { store.close() }
        let site = try files.site(store)
        var batch = StoreBatch()
        for number in 0..<count {
            let start = UnixTime(milliseconds: noon) + .milliseconds(number)
            let fact = WindowFact(
                session: "a", numbers: UInt64(number)...UInt64(number),
                span: start..<start + .milliseconds(1), readings: [])
            batch.add(fact, site: "s", gateway: "e")
        }
        #expect(store.commit(batch, at: .now) == .durable)
        let state = ServerState(session: .begin(), sites: [site], store: store)
        let evidence = try evidence(state, site, span(0, 20_000), withWindows: true)
        guard case .array(let windows)? = evidence["windows"] else {
            throw TestFailure("no windows")
        }
        #expect(windows.count == 10_000)
        #expect(evidence["truncated"] == .bool(count > 10_000))
    }

    @Test("a simulation's truth: the length at the start and each change, as the file grows")
    func truth() throws {
        func line(_ second: Int64, _ length: Int) -> String {
            let at = noon + second * 1000
            return #"{"time":\#(at),"event":"places","queues":[{"queue":"q","length":\#(length)}]}"#
        }
        let file = try files.folder.write(line(-5, 2) + "\n" + line(2, 3), to: "truth.jsonl")
        let source = try TruthSource(file)
        #expect(source.advance().map(\.point.people) == [2])
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        try handle.seekToEnd()
        let rest = ["", line(3, 3), #"{"event":"joined"}"#, "no JSON", line(4, 1), ""]
        try handle.write(contentsOf: Data(rest.joined(separator: "\n").utf8))
        try handle.close()
        #expect(source.advance().map(\.point.people) == [3, 1])
        let (state, site) = try server(truth: source)
        defer { state.store.close() }
        let evidence = try evidence(state, site, span(0, 10_000), withWindows: false)
        let expected: JSON = [
            [.integer(noon - 5000), 2], [.integer(noon + 2000), 3], [.integer(noon + 4000), 1],
        ]
        #expect(evidence["truth"] == expected)
        #expect(state.server["truth"] == true)
        #expect(state.snapshot(of: nil, for: .read)["truth"]?["q"] != nil)
    }
}
