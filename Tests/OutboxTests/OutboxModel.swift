import Primitives
import Sightings
import Testing

@testable import Outbox

/// The rows and losses of a disk.
struct DiskContents {
    typealias Row = (header: BatchHeader, stored: StoredBatch)

    private(set) var rows: [Row] = []
    private(set) var losses: [String: Loss] = [:]
    private(set) var claimed: Int64 = 0

    init(_ disk: any Disk) {
        // A fake disk can fail; its contents are known all the same.
        let store: (any BatchStore)? =
            (disk as? FakeDisk)?.store ?? (try? disk.open(creating: false))
        guard let store else { return }
        for header in (try? store.headers(after: 0, limit: .max)) ?? [] {
            guard let body = try? store.body(of: header.id),
                let stored = try? StoredBatch(decoding: body)
            else { continue }
            rows.append((header, stored))
        }
        losses = (try? store.losses()) ?? [:]
        claimed = store.claimed
        if !(disk is FakeDisk) { store.close() }
    }
}

/// The expectation: every number is in one message, in one loss, or was lost with an end of the agent.
struct OutboxModel {
    /// The reports of each batch by identity.
    private var appended: [MessageKey: [UInt16: Int]] = [:]
    private var retuned: Set<MessageKey> = []
    private var sent: Set<MessageKey> = []
    private var messages: [MessageKey: StoredBatch] = [:]
    /// Lost numbers by session that a message has declared, or an event.
    private var declared: [String: Int] = [:]
    /// Lost numbers by session that nothing declares, because the agent ended.
    private var perished: [String: Int] = [:]
    /// Numbers of damaged rows that may be declared although their messages arrived …
    private var declaredTwice: [String: Int] = [:]
    /// … and numbers of damaged rows that nothing can declare.
    private var undeclarable: [String: Int] = [:]

    mutating func appended(_ key: MessageKey, _ counts: [UInt16: Int], isRetuned: Bool) {
        appended[key] = counts
        if isRetuned { retuned.insert(key) }
    }

    mutating func handedOut(_ entry: Entry) { sent.insert(key(entry.stored)) }

    func hasReceived(_ entry: Entry) -> Bool { messages[key(entry.stored)] != nil }

    mutating func received(_ entry: Entry) {
        let key = key(entry.stored)
        if let before = messages[key] {
            #expect(before == entry.stored, "a repetition must be the same message")
            return
        }
        messages[key] = entry.stored
        if let lost = entry.lost {
            #expect(lost.toSeq < entry.batch.seq)
            declared[entry.session, default: 0] += Int(lost.batches)
        }
    }

    mutating func happened(_ events: [OutboxEvent]) {
        for case .undeclaredLoss(let session, let loss) in events {
            declared[session, default: 0] += Int(loss.batches)
        }
    }

    /// A row of an earlier session becomes unreadable.
    mutating func damaged(_ row: DiskContents.Row, isHeaderReadable: Bool) {
        let numbers = row.header.numbers.count + Int(row.header.lost?.batches ?? 0)
        let session = row.header.session
        if messages[key(row.stored)] == nil {
            if !isHeaderReadable { undeclarable[session, default: 0] += numbers }
        } else if isHeaderReadable {
            declaredTwice[session, default: 0] += numbers
        }
    }

    /// Whether a batch was sent whose row does not show it.
    func hasSentUnclaimed(_ disk: DiskContents) -> Bool {
        disk.rows.contains {
            !$0.header.isFinal && $0.header.id > disk.claimed && sent.contains(key($0.stored))
        }
    }

    mutating func ended(leaving disk: DiskContents, losesNothing: Bool) {
        let missing = unaccounted(disk)
        for (session, count) in missing {
            let before = perished[session, default: 0]
            #expect(count >= before - declaredTwice[session, default: 0], "\(session) came again")
            if losesNothing {
                #expect(count <= before + undeclarable[session, default: 0], "\(session) lost")
            }
        }
        perished = missing
        declaredTwice = [:]
        undeclarable = [:]
    }

    /// The numbers by session that are in no message, row or loss.
    private func unaccounted(_ disk: DiskContents) -> [String: Int] {
        var numbers: [String: Set<UInt64>] = [:]
        var lost = declared
        for (key, message) in messages {
            numbers[key.session, default: []].formUnion(message.batch.numbers)
        }
        for row in disk.rows where messages[key(row.stored)] == nil {
            numbers[row.header.session, default: []].formUnion(row.header.numbers)
            lost[row.header.session, default: 0] += Int(row.header.lost?.batches ?? 0)
        }
        for (session, loss) in disk.losses { lost[session, default: 0] += Int(loss.batches) }
        var highest: [String: UInt64] = [:]
        for key in appended.keys { highest[key.session] = max(highest[key.session] ?? 0, key.seq) }
        return highest.reduce(into: [:]) { missing, last in
            let known = (numbers[last.key]?.count ?? 0) + lost[last.key, default: 0]
            missing[last.key] = Int(last.value) + 1 - known
        }
    }

    func check(_ disk: DiskContents) {
        for (session, count) in unaccounted(disk) {
            let expected = perished[session, default: 0]
            let least = expected - declaredTwice[session, default: 0]
            let most = expected + undeclarable[session, default: 0]
            #expect((least...most).contains(count), "session \(session)")
        }
        checkMessages()
    }

    private func checkMessages() {
        var numbers: [String: Set<UInt64>] = [:]
        var counts: [UInt16: Int] = [:]
        for (key, message) in messages {
            let behindFirst = message.batch.numbers.dropFirst().filter {
                retuned.contains(MessageKey(session: key.session, seq: $0))
            }
            #expect(behindFirst.isEmpty, "merged across a retune")
            for number in message.batch.numbers {
                let isNew = numbers[key.session, default: []].insert(number).inserted
                #expect(isNew, "\(key.session): \(number) is in two messages")
            }
            for sighting in message.batch.sightings {
                counts[sighting.identity.minor, default: 0] += sighting.count
            }
        }
        var expected: [UInt16: Int] = [:]
        for (key, batch) in appended where numbers[key.session]?.contains(key.seq) == true {
            for (minor, count) in batch { expected[minor, default: 0] += count }
        }
        #expect(counts == expected)
    }

    private func key(_ stored: StoredBatch) -> MessageKey {
        MessageKey(session: stored.origin.session, seq: stored.batch.seq)
    }
}
