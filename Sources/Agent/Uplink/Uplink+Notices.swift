import Outbox

extension Uplink {
    /// Says what has happened to the outbox, once.
    func tellNotices() {
        for notice in outbox.takeNotices() {
            switch notice {
            case .found(let batches):
                log.info("an earlier session left batches", ["batches": batches])
            case .diskFailed(let reason):
                log.error(
                    "the outbox can't be written: what waits is kept in memory", ["reason": reason])
            case .diskIsBack: log.info("the outbox can be written again")
            case .damaged(let place?, let reason, let salvage):
                log.error(
                    "the outbox was damaged: set aside, and what could still be read was saved",
                    [
                        "file": place, "reason": reason,
                        "batches": salvage.had.map(String.init) ?? "unknown",
                        "saved": salvage.saved, "lost": salvage.declared,
                        "losses": salvage.knowsLosses ? "known" : "unknown",
                    ])
            case .damaged(nil, let reason, _):
                log.error(
                    "the outbox is damaged and can't be set aside: what waits is kept in memory",
                    ["reason": reason])
            case .undeclarable(let session, let loss):
                log.warning(
                    "a session lost batches, and no message is left to say so",
                    [
                        "session": session, "batches": loss.batches, "from": loss.fromSeq,
                        "to": loss.toSeq, "reason": loss.reason.rawValue,
                    ])
            }
        }
    }
}
