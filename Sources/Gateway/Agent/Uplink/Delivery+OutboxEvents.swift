import Logging
import Outbox

extension Delivery {
    static func log(_ event: OutboxEvent, to log: Log) {
        switch event {
        case .foundBacklog(let batches):
            log.info("unsent batches of an earlier session found", ["batches": batches])
        case .storeUnavailable(let reason):
            log.error(
                "the outbox cannot be written: batches are kept in memory; retrying",
                ["reason": reason])
        case .storeAvailable: log.info("outbox writable again")
        case .storeCorrupt(let path?, let reason, let result):
            log.error(
                "outbox file corrupt: renamed, readable batches kept, the rest is lost; "
                    + "for more, run: sqlite3 FILE .recover",
                [
                    "file": path, "reason": reason,
                    "batches": result.batches.map(String.init) ?? "unknown",
                    "recovered": result.recovered, "lost": result.declaredLost,
                    "losses": result.knowsLosses ? "known" : "unknown",
                ])
        case .storeCorrupt(nil, let reason, _):
            log.error(
                "outbox file corrupt and cannot be renamed: batches are kept in memory; retrying",
                ["reason": reason])
        case .undeclaredLoss(let session, let loss):
            log.warning(
                "batches lost, and no later message of their session can declare it",
                [
                    "session": session, "batches": loss.batches, "from": loss.fromSeq,
                    "to": loss.toSeq, "reason": loss.reason.rawValue,
                ])
        }
    }
}
