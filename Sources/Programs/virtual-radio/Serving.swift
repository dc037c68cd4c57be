import Glibc
import JSON
import Posix
import Primitives
import VirtualRadio

/// Does what the options ask for: captures, live radios, or the truth alone.
func run(_ options: RadioOptions) {
    var scenario = readScenario(options.scenarioPath)
    if let seed = options.seed { scenario.seed = seed }
    if let captures = options.captures {
        write(captures, of: scenario, options)
    } else {
        serve(scenario, options)
    }
}

/// Serves hosts until a signal or the end of its time, then writes the tally.
private func serve(_ scenario: Scenario, _ options: RadioOptions) {
    let stations = options.radios.map { makeStation(scenario, $0, options.scenarioPath) }
    var outcomes: [RadioServices.Outcome] = []
    do throws(CantServe) {
        outcomes = try run(scenario, stations, options)
    } catch {
        fail("\(error)", Exit.failed)
    }
    if let path = options.tallyPath { writeTally(of: outcomes, to: path) }
    for (radio, outcome) in zip(options.radios, outcomes) {
        if let error = outcome.failure { fail("\(CantServe(radio.place, error))", Exit.failed) }
    }
}

/// Why there is no radio at a place.
struct CantServe: Error, CustomStringConvertible {
    let description: String

    init(_ place: RadioService.Place, _ error: Errno) {
        switch place {
        case .socket(let address): description = "\(address): \(error)"
        case .vhci(let path):
            description = "\(path): \(error); it needs root and the module hci_vhci"
        }
    }

    init(_ error: Errno) { description = "\(error)" }

    init(_ path: String, _ error: Errno) { description = "\(path): \(error)" }
}

private func run(
    _ scenario: Scenario, _ stations: [Station], _ options: RadioOptions
) throws(CantServe) -> [RadioServices.Outcome] {
    let signals: Signals
    do throws(Errno) { signals = try Signals([SIGINT, SIGTERM]) } catch { throw CantServe(error) }
    let air = SharedAir()
    let output = LineOutput()
    var posts: [RadioServices.Post] = []
    for (radio, station) in zip(options.radios, stations) {
        do throws(Errno) {
            let service = try RadioService(
                at: radio.place, air: air, keepsPower: options.keepsPower
            ) { output.write(OnAir.line($0, of: radio.gateway)) }
            posts.append(RadioServices.Post(station, service))
            if case .socket(let address) = try service.address() {
                output.write("listening on \(address)\n")
            }
        } catch {
            throw CantServe(radio.place, error)
        }
    }
    let deadline = options.seconds.map { Instant.now + .seconds($0) }
    let truth = try options.truthPath.map { path throws(CantServe) in
        try TruthService(scenario, path, deadline: deadline)
    }
    let stop = signals.descriptor.rawValue
    var outcomes: [RadioServices.Outcome] = []
    var failure: Errno?
    do throws(Errno) {
        if posts.isEmpty {
            try truth?.wait(stop: stop)
        } else {
            outcomes = try RadioServices.run(posts, stop: stop, deadline: deadline)
        }
    } catch {
        failure = error
    }
    try truth?.end()
    if let failure { throw CantServe(failure) }
    return outcomes
}

private func readScenario(_ path: String) -> Scenario {
    let bytes: [UInt8]
    do throws(TextFile.Unreadable) {
        bytes = try TextFile.contents(of: path, maxBytes: Scenario.maxBytes)
    } catch {
        fail("\(path): \(error)", Exit.wrongUse)
    }
    do throws(Faults) {
        return try Scenario(parsing: bytes)
    } catch {
        let lines = error.list.map { fault in
            "virtual-radio: \(path): \(fault.pointer): \(fault.message)\n"
        }
        say(lines.joined(), to: STDERR_FILENO)
        exit(Exit.wrongUse)
    }
}

private func makeStation(_ scenario: Scenario, _ radio: RadioChoice, _ path: String) -> Station {
    do throws(Station.UnknownGateway) {
        return try Station(
            live: scenario, gateway: radio.gateway, configuration: radio.configuration,
            faults: radio.faults)
    } catch {
        fail("\(path): \(error)", Exit.wrongUse)
    }
}

private func writeTally(of outcomes: [RadioServices.Outcome], to path: String) {
    let tallies = outcomes.map { outcome in
        var station = outcome.station
        return station.tally().json
    }
    let text = tallies.count == 1 ? tallies[0] : "[" + tallies.joined(separator: ",") + "]\n"
    do throws(Errno) {
        let file = try Descriptor(from: {
            open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        })
        try file.writeAll(Array(text.utf8))
    } catch {
        fail("\(path): \(error)", Exit.failed)
    }
}
