import Facts
import Primitives
import Queueing
import TestSupport

@testable import ResultStore
@testable import StorePostgres
@testable import StoreSQLite

/// The engines that are tested on this machine.
enum TestEngine: String, CaseIterable, Sendable {
    case sqlite, postgres

    static let available = allCases.filter { $0 == .sqlite || PostgresServer.isInstalled }
}

/// The place of a store in a new file or in a new database.
struct TestPlace {
    let engine: any StoreEngine
    let path: String
    let folder: TemporaryFolder

    init(_ engine: TestEngine) throws {
        folder = try TemporaryFolder()
        self.engine =
            switch engine {
            case .sqlite: SQLiteEngine()
            case .postgres:
                PostgresEngine(try PostgresServer.shared.get().createDatabase())
            }
        path = self.engine.place(in: folder.file("state"))
    }

    func open(_ retention: StoreRetention = StoreRetention()) -> any ResultStore {
        engine.open(path, journal: nil, retention: retention, at: at(0), merge: addNumbers)
    }
}

/// Sums of a test: one number a byte array, as text. Merging adds.
let addNumbers: SummaryMerge = { parts in
    Array(String(parts.reduce(0) { $0 + (Int(String(decoding: $1, as: UTF8.self)) ?? 0) }).utf8)
}

func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

func span(_ milliseconds: Range<Int64>) -> Range<UnixTime> {
    UnixTime(
        milliseconds: milliseconds.lowerBound)..<UnixTime(milliseconds: milliseconds.upperBound)
}

func fact(
    _ number: UInt64, start: Int64, session: String = "s", width: Int64 = 1000,
    readings: [Reading] = []
) -> WindowFact {
    WindowFact(
        session: session, numbers: number...number,
        span: span(start..<start + width), readings: readings)
}

func minute(
    _ start: Int64, day: Range<Int64> = 0..<86_400_000, rev: Int = 1, isFinal: Bool = false,
    value: Int, queue: String = "checkout"
) -> StoreBatch.Minute {
    StoreBatch.Minute(
        site: "store-1", queue: queue, start: UnixTime(milliseconds: start),
        end: UnixTime(milliseconds: start + 60_000), day: span(day), rev: rev,
        isFinal: isFinal, document: Array("{\"rev\":\(rev)}".utf8),
        mark: Array("first \(value)".utf8), summary: Array("\(value)".utf8))
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// A window of the gateway "entry" of "store-1" for each number, one a second.
func batch(_ numbers: Range<UInt64>) -> StoreBatch {
    var batch = StoreBatch()
    for number in numbers {
        batch.add(fact(number, start: Int64(number) * 1000), site: "store-1", gateway: "entry")
    }
    return batch
}

/// The numbers of the readable windows of "store-1".
func numbers(_ store: any ResultStore) throws -> [UInt64] {
    var numbers: [UInt64] = []
    _ = try store.facts(of: "store-1", in: 0..<UnixTime.max) { numbers.append($1.number) }
    return numbers
}
