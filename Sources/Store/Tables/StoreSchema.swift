/// The tables of the store, as the steps that lead from each version of the file to the next.
struct StoreSchema: Sendable {
    /// The application's mark in the file header: "SLst" (sqlite.org/fileformat2.html, section 1.3).
    static let application: Int64 = 0x534c_7374

    /// The step at index n leads from version n to version n + 1.
    let steps: [String]

    var version: Int64 { Int64(steps.count) }

    static let current = StoreSchema(steps: [first, visitCounts, receipts, visitMethods])

    /// `shard` is FNV-1a(site) mod 64: a chain of stores can later move whole shards to other servers.
    ///
    /// Rows of facts are in the order of their arrival, and the index is in the order of time. A commit therefore changes
    /// few pages. A repetition of a message has the same start, so the index keeps it off.
    private static let first = """
        CREATE TABLE sites(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
          shard INTEGER NOT NULL);
        CREATE TABLE queues(id INTEGER PRIMARY KEY, site INTEGER NOT NULL, name TEXT NOT NULL,
          UNIQUE(site,name));
        CREATE TABLE sources(id INTEGER PRIMARY KEY, site INTEGER NOT NULL, gateway TEXT NOT NULL,
          session TEXT NOT NULL, newest INTEGER NOT NULL, UNIQUE(site,gateway,session));
        CREATE TABLE facts(id INTEGER PRIMARY KEY, site INTEGER NOT NULL, start INTEGER NOT NULL,
          source INTEGER NOT NULL, number INTEGER NOT NULL, body BLOB NOT NULL,
          UNIQUE(site,start,source,number));
        CREATE TABLE site_days(id INTEGER PRIMARY KEY, site INTEGER NOT NULL,
          start INTEGER NOT NULL, levels BLOB NOT NULL, UNIQUE(site,start));
        CREATE TABLE minutes(id INTEGER PRIMARY KEY, queue INTEGER NOT NULL,
          start INTEGER NOT NULL, end INTEGER NOT NULL, rev INTEGER NOT NULL,
          final INTEGER NOT NULL, mark BLOB NOT NULL, document BLOB NOT NULL,
          summary BLOB NOT NULL, UNIQUE(queue,start));
        CREATE TABLE hours(id INTEGER PRIMARY KEY, queue INTEGER NOT NULL, start INTEGER NOT NULL,
          end INTEGER NOT NULL, summary BLOB NOT NULL, UNIQUE(queue,start));
        CREATE TABLE days(id INTEGER PRIMARY KEY, queue INTEGER NOT NULL, start INTEGER NOT NULL,
          end INTEGER NOT NULL, summary BLOB NOT NULL, UNIQUE(queue,start));
        CREATE TABLE visits(id INTEGER PRIMARY KEY, queue INTEGER NOT NULL,
          entered INTEGER NOT NULL, left INTEGER NOT NULL, tag INTEGER NOT NULL,
          document BLOB NOT NULL, UNIQUE(queue,left,entered,tag));
        CREATE TABLE counters(id INTEGER PRIMARY KEY, site INTEGER NOT NULL,
          gateway TEXT NOT NULL, outcome TEXT NOT NULL, count INTEGER NOT NULL,
          UNIQUE(site,gateway,outcome));
        """

    /// Final visits come in the same order after each restart: their number tells which ones were published.
    private static let visitCounts = """
        CREATE TABLE visit_counts(id INTEGER PRIMARY KEY, queue INTEGER NOT NULL,
          day INTEGER NOT NULL, count INTEGER NOT NULL, UNIQUE(queue,day));
        """

    private static let receipts = """
        CREATE TABLE receipts(id INTEGER PRIMARY KEY, queue INTEGER NOT NULL, at INTEGER NOT NULL,
          till TEXT NOT NULL, count INTEGER NOT NULL, UNIQUE(queue,at,till));
        """

    /// Another layout, or another program, finds other visits.
    private static let visitMethods = """
        ALTER TABLE visit_counts ADD COLUMN method TEXT NOT NULL DEFAULT '';
        """
}

/// The part of a chain that a site belongs to.
enum Shard {
    static let count: UInt64 = 64

    /// FNV-1a with 64 bits (draft-eastlake-fnv), modulo the number of shards.
    static func of(_ site: String) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in site.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(hash % count)
    }
}
