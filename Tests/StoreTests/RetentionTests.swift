import Foundation
import Posix
import Primitives
import SQLite
import TestSupport
import TestVectors
import Testing

@testable import ResultStore
@testable import StoreSQLite

private let hour: Int64 = 3_600_000

private func atHour(_ number: Int64) -> UnixTime { UnixTime(second: number * 3600) }

@Suite("retention")
struct RetentionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store(_ retention: StoreRetention = StoreRetention()) -> SQLiteStore {
        SQLiteStore(
            path: folder.file("store.sqlite"), retention: retention, at: at(0), merge: addNumbers)
    }

    private func expireAll(_ store: any ResultStore, wall: Int64, day: Int64) -> Int {
        var calls = 1
        while store.expire(
            at: at(0), wall: UnixTime(milliseconds: wall), day: UnixTime(milliseconds: day)),
            calls < 10_000
        {
            calls += 1
        }
        return calls
    }

    private func starts(_ store: any ResultStore) throws -> [Int64] {
        var starts: [Int64] = []
        _ = try store.facts(of: "store-1", in: 0..<UnixTime.max) {
            starts.append($1.span.lowerBound.milliseconds)
        }
        return starts
    }

    @Test(
        "facts and visits live 24 hours, those of a running day of 25 hours until its end",
        arguments: TestEngine.available)
    func evidence(engine: TestEngine) throws {
        let place = try TestPlace(engine)
        let store = place.open()
        var batch = StoreBatch()
        let times = (0..<50).map { Int64($0) * hour }
        for (index, time) in times.enumerated() {
            batch.add(fact(UInt64(index), start: time), site: "store-1", gateway: "entry")
            batch.visits.append(
                .init(
                    site: "store-1", queue: "checkout", entered: 0,
                    left: UnixTime(milliseconds: time), tag: nil,
                    document: Array("\(time)".utf8)))
        }
        batch.levels = [0, 24, 48].map { .init(site: "store-1", day: atHour($0), levels: [1]) }
        #expect(store.commit(batch, at: at(0)) == .durable)
        // A day of 25 hours began at hour 24.
        _ = expireAll(store, wall: 48 * hour + hour / 2, day: 24 * hour)
        #expect(try starts(store) == Array(times[24...]))
        let visits = try store.visits(of: "checkout", at: "store-1", in: 0..<UnixTime.max)
        #expect(visits.map(text) == times[24...].map { "\($0)" })
        // The next day began.
        _ = expireAll(store, wall: 49 * hour, day: 49 * hour)
        #expect(try starts(store) == Array(times[25...]))
        // Long after, only the newest levels are left, and no session.
        _ = expireAll(store, wall: 1000 * hour, day: 990 * hour)
        #expect(try starts(store).isEmpty)
        #expect(try store.levels(of: "store-1", at: atHour(2000))?.day == atHour(48))
        #expect(try store.levels(of: "store-1", at: atHour(47)) == nil)
        let tables = try place.engine.inventory(of: place.path).tables
        #expect(tables.first { $0.name == "sources" }?.rows == 0)
        // A session that returns gets a new number.
        batch = StoreBatch()
        batch.add(fact(1, start: 1000 * hour), site: "store-1", gateway: "entry")
        #expect(store.commit(batch, at: at(0)) == .durable)
        #expect(try starts(store) == [1000 * hour])
        store.close()
    }

    @Test(
        "with counts only, facts of earlier days go when the day ends",
        arguments: TestEngine.available)
    func counts(engine: TestEngine) throws {
        let place = try TestPlace(engine)
        var retention = StoreRetention()
        retention.evidence = .zero
        let store = place.open(retention)
        var batch = StoreBatch()
        for hours in 0..<40 {
            let start = Int64(hours) * hour
            batch.add(fact(UInt64(hours), start: start), site: "store-1", gateway: "entry")
        }
        #expect(store.commit(batch, at: at(0)) == .durable)
        _ = expireAll(store, wall: 25 * hour, day: 24 * hour)
        #expect(try starts(store) == (24..<40).map { $0 * hour })
        store.close()
    }

    @Test(
        "minutes, hours and days live as long as the configuration says",
        arguments: TestEngine.available)
    func periods(engine: TestEngine) throws {
        let place = try TestPlace(engine)
        let store = place.open(
            StoreRetention(
                minutes: .seconds(3 * 86_400), hours: .seconds(5 * 86_400),
                days: .seconds(7 * 86_400)))
        var batch = StoreBatch()
        for day in 0..<10 as Range<Int64> {
            let range = day * 24 * hour..<(day + 1) * 24 * hour
            for start in stride(from: range.lowerBound, to: range.upperBound, by: 60_000) {
                batch.minutes.append(minute(start, day: range, value: 1))
            }
        }
        #expect(store.commit(batch, at: at(0)) == .durable)
        let calls = expireAll(store, wall: 240 * hour, day: 216 * hour)
        // In slices: 10,080 minutes are removed. PostgreSQL drops weeks of them.
        #expect(engine == .postgres || calls > 10)
        let all = 0..<UnixTime.max
        let minutes = try store.minutes(of: "checkout", at: "store-1", in: all)
        #expect(minutes.count == 3 * 1440)
        #expect(minutes.first?.start == atHour(168))
        let hours = try store.periods(.hour, of: "checkout", at: "store-1", in: all)
        #expect(hours.count == 5 * 24)
        let days = try store.periods(.day, of: "checkout", at: "store-1", in: all)
        #expect(days.map(\.start) == (3..<10).map { atHour($0 * 24) })
        #expect(days.map { text($0.summary) } == Array(repeating: "1440", count: 7))
        store.close()
    }

    @Test(
        "the newest labels are read in the order of time, and old ones are removed",
        arguments: TestEngine.available)
    func labels(engine: TestEngine) throws {
        var batch = StoreBatch()
        let starts = [0, 1, 2000].map { UnixTime(milliseconds: $0 * 86_400_000) }
        batch.placeLabels = starts.map {
            .init(site: "s", beacon: "b", start: $0, document: Array("{1}".utf8))
        }
        let store = try TestPlace(engine).open()
        defer { store.close() }
        #expect(store.commit(batch, at: at(0)) == .durable)
        #expect(try store.placeLabels(at: "s", newest: 2).map(\.start) == Array(starts[1...]))
        var removal = StoreBatch()
        removal.placeLabels = [.removal(site: "s", beacon: "b", start: starts[1])]
        #expect(store.commit(removal, at: at(0)) == .durable)
        // A batch that is stored again, as from a journal, brings nothing back.
        #expect(store.commit(batch, at: at(0)) == .durable)
        let others = [starts[0], starts[2]]
        #expect(try store.placeLabels(at: "s", newest: 9).map(\.start) == others)
        while store.expire(at: at(0), wall: starts[2], day: starts[2]) {}
        #expect(try store.placeLabels(at: "s", newest: 9).map(\.start) == [starts[2]])
    }

    @Test("a file above its size limit loses its oldest minutes, and shrinks")
    func size() throws {
        let limit = 3 << 20
        let store = store(StoreRetention(maxBytes: limit))
        for day in 0..<20 as Range<Int64> {
            var batch = StoreBatch()
            let range = day * 24 * hour..<(day + 1) * 24 * hour
            for start in stride(from: range.lowerBound, to: range.upperBound, by: 120_000) {
                var minute = minute(start, day: range, value: 1)
                minute = .init(
                    site: minute.site, queue: minute.queue, start: minute.start, end: minute.end,
                    day: minute.day, rev: 1, isFinal: true,
                    document: Array(repeating: UInt8(ascii: "x"), count: 480), mark: [1],
                    summary: minute.summary)
                batch.minutes.append(minute)
            }
            #expect(store.commit(batch, at: at(0)) == .durable)
        }
        let path = folder.file("store.sqlite")
        _ = expireAll(store, wall: 480 * hour, day: 456 * hour)
        store.close()
        let size = try #require(File.size(path))
        #expect(size < Int64(limit) * 3 / 2)
        let again = self.store()
        let minutes = try again.minutes(of: "checkout", at: "store-1", in: 0..<UnixTime.max)
        // The last two days stay, and the file keeps at least half of its limit.
        #expect(minutes.last?.start == atHour(480) - .seconds(120))
        #expect(minutes.count * 480 > limit / 2)
        #expect(minutes.count < 20 * 720)
        again.close()
    }

    @Test("removed bytes are in no file of the store")
    func secureDelete() throws {
        let store = store()
        let secret = Array("a secret that is only in one visit".utf8)
        var batch = StoreBatch()
        batch.visits = [
            .init(site: "store-1", queue: "q", entered: 0, left: 1, tag: nil, document: secret)
        ]
        #expect(store.commit(batch, at: at(0)) == .durable)
        func found() -> Bool {
            ["", "-wal"].contains { suffix in
                let bytes =
                    (try? File.contents(
                        of: folder.file("store.sqlite") + suffix, maxBytes: 64 << 20)) ?? []
                return Data(bytes).range(of: Data(secret)) != nil
            }
        }
        #expect(found())
        _ = expireAll(store, wall: 100 * hour, day: 90 * hour)
        store.forget()
        #expect(!found())
        store.close()
    }
}
