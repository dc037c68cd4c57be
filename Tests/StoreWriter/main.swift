import Facts
import Glibc
import Posix
import Primitives
import Queueing
import ResultStore
import StoreSQLite

// store-writer PATH commits        commits windows, and prints each number once it is durable
// store-writer PATH day [TAGS]     writes and reads a day of eight gateways, and prints the times

private let gateways = 8
private let seconds = 86_400

private func window(_ number: Int, gateway: Int, tags: Int) -> WindowFact {
    let start = UnixTime(
        milliseconds: 1_763_800_000_000 + Int64(number) * 1000 + Int64(gateway) * 7)
    let readings = (0..<tags).map { tag -> Reading in
        let power = -60 - Double((tag * 37 + number) % 3000) / 100
        return Reading(
            tag: Tag(rawValue: SplitMix64.mix(UInt64(tag + number / 600))), power: power, count: 4,
            seen: start + .milliseconds(100)...start + .milliseconds(900),
            centroid: start + .milliseconds(480), senders: 1)
    }
    return WindowFact(
        session: "session-\(gateway)", numbers: UInt64(number)...UInt64(number),
        span: start..<start + .seconds(1), readings: readings)
}

private func elapsed(_ work: () -> Void) -> String {
    let wall = Instant.now
    let processor = Clocks.processor
    work()
    let tenths = { (time: Duration) in "\(Double(time.milliseconds / 100) / 10) s" }
    return "\(tenths(.now - wall)), processor \(tenths(Clocks.processor - processor))"
}

/// Writes a line at once: print(3) keeps lines for a pipe.
private func write(_ line: String) {
    try? Descriptor.writeAll(Array((line + "\n").utf8), to: 1)
}

private func commits(_ store: SQLiteStore) {
    // Numbers continue after those that are stored.
    var number = 0
    _ = try? store.facts(of: "site", in: 0..<UnixTime.max) { number = Int($1.number) + 1 }
    write("first \(number)")
    while true {
        var batch = StoreBatch()
        batch.add(window(number, gateway: 0, tags: 20), site: "site", gateway: "entry")
        guard store.commit(batch, at: .now) == .durable else { exit(1) }
        write("durable \(number)")
        number += 1
    }
}

private func day(_ store: SQLiteStore, tags: Int, path: String) {
    let write = elapsed {
        for start in stride(from: 0, to: seconds, by: 60) {
            var batch = StoreBatch()
            for second in start..<start + 60 {
                for gateway in 0..<gateways {
                    batch.add(
                        window(second, gateway: gateway, tags: tags), site: "site",
                        gateway: "gateway-\(gateway)")
                }
            }
            guard store.commit(batch, at: .now) == .durable else { exit(1) }
        }
    }
    print("written: \(write), \((File.size(path) ?? 0) >> 20) MiB")
    var windows = 0
    var readings = 0
    let read = elapsed {
        _ = try? store.facts(of: "site", in: 0..<UnixTime.max) { _, fact in
            windows += 1
            readings += fact.readings.count
        }
    }
    print("read: \(windows) windows, \(readings) readings: \(read)")
    let written = Instant.now
    let count = 200
    for number in 0..<count {
        var batch = StoreBatch()
        batch.add(
            window(seconds + number, gateway: 0, tags: tags), site: "site", gateway: "gateway-0")
        guard store.commit(batch, at: .now) == .durable else { exit(1) }
    }
    print("a commit of one window: \(((.now - written) / count).microseconds) µs")
    let processor = Clocks.processor
    for number in 0..<10 {
        var batch = StoreBatch()
        for gateway in 0..<400 {
            batch.add(
                window(seconds + 1000 + number, gateway: gateway, tags: tags),
                site: "site-\(gateway / 4)", gateway: "gateway-\(gateway)")
        }
        guard store.commit(batch, at: .now) == .durable else { exit(1) }
    }
    print(
        "400 windows of 100 sites in a commit: processor \(((Clocks.processor - processor) / 10).microseconds) µs"
    )
    var longest = Duration.zero
    var calls = 0
    let expire = elapsed {
        var isMore = true
        while isMore {
            let before = Instant.now
            isMore = store.expire(
                at: .now, wall: UnixTime(milliseconds: 1 << 41),
                day: UnixTime(milliseconds: 1 << 41))
            longest = max(longest, .now - before)
            calls += 1
        }
    }
    print("removed: \(expire), \(calls) calls, the longest \(longest.microseconds) µs")
    store.forget()
    print("file afterwards: \((File.size(path) ?? 0) >> 20) MiB")
    print("resident memory: \(ProcessMemory.resident >> 20) MiB")
}

private let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2 else { exit(64) }
private let store = SQLiteStore(path: arguments[0], at: .now) { $0.last ?? [] }
if arguments[1] == "day" {
    day(store, tags: arguments.dropFirst(2).first.flatMap { Int($0) } ?? 10, path: arguments[0])
} else {
    commits(store)
}
