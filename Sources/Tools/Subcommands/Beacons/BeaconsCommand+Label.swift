import CommandLine
import Contract
import JSON
import Posix
import Primitives
import Terminal

// Where beacons stand, by people who say so to a server.
extension BeaconsCommand {
    /// Between two looks at the label.
    private static let pause = Duration.seconds(2)
    /// The server waits two minutes for late windows.
    private static let patience = Duration.seconds(150)

    func label(_ api: ServerAPI, to output: inout StandardOutput) throws(Unusable) -> ExitCode {
        let removed = try removed()
        let named = try namedSite()
        let request = try request()
        api.warnings.forEach(StandardOutput.report)
        do throws(ServerAPI.Failure) {
            let path = "sites/\(try site(named, api))/labels"
            if let id = removed {
                write(try api.call("\(path)/\(id)", by: "DELETE"), "removed", to: &output)
                return .done
            }
            guard let request else {
                list(Self.labels(try api.call(path)), to: &output)
                return .done
            }
            return try add(request, api, path, to: &output)
        } catch {
            throw Unusable(sentence: error.sentence, status: .failed)
        }
    }

    private func removed() throws(Unusable) -> String? {
        guard let id = invocation["remove"] else { return nil }
        guard Topics.isName(id) else {
            throw Unusable(
                sentence: "--remove must be the ID of a label, not “\(id.printable())”")
        }
        return id
    }

    private func namedSite() throws(Unusable) -> String? {
        guard let text = invocation["site"] else { return nil }
        guard let site = Topics.name(text) else {
            throw Unusable(sentence: "--site must be \(Topics.nameRule)")
        }
        return site
    }

    /// The named one, else the only one of the server.
    private func site(
        _ named: String?, _ api: ServerAPI
    ) throws(ServerAPI.Failure) -> String {
        if let named { return named }
        guard case .array(let list)? = try api.call("sites")["sites"] else {
            throw ServerAPI.Failure(sentence: "the server names no site")
        }
        let sites = list.compactMap { LiveResults.text($0["site"]).flatMap(Topics.name) }
        guard let site = sites.first, sites.count == 1 else {
            throw ServerAPI.Failure(
                sentence: "choose a site with --site: \(sites.joined(separator: ", "))")
        }
        return site
    }

    private static func labels(_ json: JSON) -> [JSON] {
        if case .array(let list)? = json["labels"] { list } else { [] }
    }

    /// Begins a label, and waits for its end.
    private func add(
        _ request: JSON, _ api: ServerAPI, _ path: String, to output: inout StandardOutput
    ) throws(ServerAPI.Failure) -> ExitCode {
        var label = try api.call(path, by: "POST", request)
        if !invocation.has("json") {
            write(label, "stay there until \(label.clock("until"))", to: &output)
            output.flush()
        }
        let end = Instant.now + .seconds(seconds) + Self.patience
        while label.word("state") == "standing", Instant.now < end {
            _ = try? Poll.wait(for: [], until: .now + Self.pause)
            let id = label.word("id")
            guard let next = Self.labels(try api.call(path)).first(where: { $0.word("id") == id })
            else {
                throw ServerAPI.Failure(
                    sentence: "the label is gone: it was removed, or the server began anew"
                )
            }
            label = next
        }
        let isLearnt = label.word("state") == "learnt"
        write(
            label,
            isLearnt
                ? "learnt" + (label.place.isEmpty ? "" : " at \(label.place), in metres")
                : "not learnt: no gateway has heard the beacon, or several devices send its identity",
            to: &output)
        return isLearnt ? .done : .failed
    }

    /// `nil` without a beacon.
    private func request() throws(Unusable) -> JSON? {
        let operands = invocation.operands
        guard operands.count > 1 else { return nil }
        var members = [
            JSON.Member("beacon", .string(operands[1])), .init("zone", .string(operands[2])),
            .init("seconds", .integer(seconds)),
        ]
        if let place = invocation["place"] {
            let numbers = place.split(separator: ",", omittingEmptySubsequences: false)
                .compactMap { Double($0) }.filter(\.isFinite)
            guard numbers.count == 2 else {
                throw Unusable(
                    sentence: "--place must be X,Y in metres, not “\(place.printable())”")
            }
            members += [.init("x", .number(numbers[0])), .init("y", .number(numbers[1]))]
        }
        return .object(members)
    }

    private func write(_ label: JSON, _ words: String, to output: inout StandardOutput) {
        output.write(
            invocation.has("json")
                ? label.text + "\n"
                : "\(label.beaconName) in \(label.word("zone")): \(words)\n")
    }

    private func list(_ labels: [JSON], to output: inout StandardOutput) {
        guard !invocation.has("json") else {
            for label in labels { output.write(label.text + "\n") }
            return
        }
        var table = TextTable([
            .left("ID"), .left("BEACON"), .left("ZONE"), .left("UNTIL"), .left("STATE"),
            .left("PLACE"),
        ])
        table.rows = labels.map { label in
            [
                label.word("id"), label.beaconName, label.word("zone"), label.clock("until"),
                label.word("state"), label.place,
            ]
        }
        output.write(labels.isEmpty ? "no labels\n" : table.lines.map { $0 + "\n" }.joined())
    }
}

extension JSON {
    fileprivate func word(_ key: String) -> String { LiveResults.text(self[key]) ?? "" }

    fileprivate var beaconName: String {
        let name = word("name")
        return name.isEmpty ? word("beacon") : name
    }

    /// The time of a member, by this machine's clock; with the day if it is another one.
    fileprivate func clock(_ key: String) -> String {
        LiveResults.time(self[key]).map { LocalDay.clockTime(of: $0, at: .now) } ?? ""
    }

    /// `3.2, 4`; empty before it is learnt.
    fileprivate var place: String {
        guard let x = self["x"], let y = self["y"], x != .null, y != .null else { return "" }
        return "\(x.text), \(y.text)"
    }
}
