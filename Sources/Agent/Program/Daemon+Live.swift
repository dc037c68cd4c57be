import Beacon
import Glibc
import Posix
import Radio
import Sighting

extension Daemon {
    /// The radio thread: waits for the radio, for the end of the window, for signals, and does what is due.
    static func live(_ run: Run) throws(Exit) {
        let signals = try signals()
        // Before the uplink, which would tell the world that a run with a wrong scenario is online.
        let open = try opening(run)
        // What somebody looks at is what the file says: the layers are the service's.
        let layers =
            run.isForStandardOutput ? nil : SavedLayers(run.configuration, log: run.log)
        let sink = try Sink(run, layers: layers)
        let receiver = Receiver(
            tuning: layers?.tuner.tuning ?? run.configuration.tuning,
            maxIdentities: run.configuration.maxIdentities, log: run.log, at: now, open: open,
            answer: { sink.tell(.answer($0, $1)) }, emit: { sink.put($0, $1.stamp) })
        var told: RadioHealth?
        var toldStanding: RadioStanding?
        var reported: RadioFailure?
        while try !isSignalled(signals, or: sink, receiver) {
            let now = now
            do throws(RadioFailure) {
                for order in sink.takeOrders() { try receiver.carryOut(order, at: now) }
                try receiver.visit(at: now)
            } catch {
                // Whoever reads the output wants to know at once; a service waits for the adapter to come.
                if run.isForStandardOutput {
                    receiver.finish(at: now)
                    try sink.flush()
                    throw complain([error.description], .failed)
                }
                if error != reported { run.log.error(error.sentence, ["source": error.source]) }
                reported = error
            }
            if receiver.health.isHearing { reported = nil }
            // Not at every report: the mailbox is for batches.
            if receiver.health != told { sink.tell(.radio(receiver.health)) }
            told = receiver.health
            let standing = receiver.standing
            if standing != toldStanding, sink.tell(.standing(standing)) { toldStanding = standing }
            try sink.flush()
        }
        run.log.info("ending")
        receiver.finish(at: now)
        sink.tell(.radio(receiver.health))
        sink.tell(.standing(receiver.standing))
        try sink.finish(signals, isLive: true)
    }

    static func signals() throws(Exit) -> Signals {
        do throws(Errno) { return try Signals([SIGTERM, SIGINT]) } catch {
            throw complain(["can't receive signals: \(error)"], .failed)
        }
    }

    private static var now: Instant { Instant(microseconds: Clocks.boot) }

    /// Waits until something is due; `true` when it is the end.
    private static func isSignalled(
        _ signals: Signals, or sink: Sink, _ receiver: Receiver
    ) throws(Exit) -> Bool {
        let others = [signals.descriptor.rawValue] + sink.descriptors
        let interests = (others + receiver.descriptors).map { Poll.Interest($0) }
        let microseconds = max(0, receiver.deadline.microseconds(since: now))
        do throws(Errno) {
            // Rounded up: waking before the deadline would mean waking twice.
            _ = try Poll.wait(
                for: interests, timeout: Int(min(microseconds, 60_000_000) + 999) / 1000)
        } catch {
            throw complain(["can't wait: \(error)"], .failed)
        }
        return signals.next() != nil
    }

    private static func opening(_ run: Run) throws(Exit) -> Receiver.Opening {
        let source: ControllerSource
        switch run.configuration.source {
        case .adapter(let device, .raw): source = .raw(device: device)
        case .adapter(let device, .user): source = .user(device: device)
        case .h4(let address): source = .h4(address)
        case .simulation(let path):
            let simulation: Simulation
            do throws(Simulation.Unusable) {
                simulation = try Simulation(path, gateway: run.configuration.topics.gateway)
            } catch {
                throw complain(error.lines, .wrong)
            }
            return { wish, now throws(RadioFailure) in try simulation.open(wish, at: now) }
        case .replay(let path): throw complain(["\(path): a capture is no radio"], .wrong)
        }
        return { wish, now throws(RadioFailure) in
            try LiveRadio(source, advertising: wish, at: now)
        }
    }
}
