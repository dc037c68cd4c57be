import Glibc
import Ranging

// Reads a plan, labels and levels as lines of words. Writes what the room says of each `still`, `moving` and `decide`.
//
//     height Z · floor X Y … · gateway NAME X Y Z · zone NAME X Y …
//     label X Y Z LEVEL… · still LEVEL… · start · moving LEVEL… · cost
//
//     stand ZONE LEVEL… · second LEVEL… · decide
//
// A level is a number or -, by gateway. `stand` is a second of standing in the zone of that number; `decide` asks for the zone of the seconds
// since the last one.
/// What the lines have said so far.
struct Bench {
    var floor = PlanPolygon([])
    var height = FloorPlan.usualHeight
    var gateways: [FloorPlan.Gateway] = []
    var zones: [FloorPlan.Zone] = []
    var labels: [RangingLabel] = []
    var model: RangingModel?
    var filter: MotionFilter?
    var power = -59.0
    var standing: [[[Double?]]] = []
    var fingerprints: ZoneFingerprints?
    var recent: [[Double?]] = []

    func points(_ words: some Sequence<Double>) -> PlanPolygon {
        let numbers = Array(words)
        return PlanPolygon(
            stride(from: 0, to: numbers.count - 1, by: 2).map {
                PlanPoint(numbers[$0], numbers[$0 + 1])
            })
    }

    func levels(_ words: some Sequence<Substring>) -> [Double?] { words.map { Double($0) } }

    mutating func ready() -> RangingModel {
        if let model { return model }
        let plan = FloorPlan(floor: floor, beaconHeight: height, gateways: gateways, zones: zones)
        let new = RangingModel(plan, labels: labels, claimed: [power])
        let fit = new.fit
        print("fit", fit.exponent, fit.residual, fit.powers[0].level)
        model = new
        return new
    }

    func show(_ estimate: PlaceEstimate?) {
        guard let estimate else { return print("none") }
        let area = estimate.area.map { "\($0.centre.x) \($0.centre.y) \($0.radius)" } ?? "- - -"
        let nearest = estimate.nearest.map { "\($0.gateway) \($0.probability)" } ?? "- -"
        let distances = estimate.distances.map { distance in
            distance.map { "\($0.low) \($0.median) \($0.high)" } ?? "- - -"
        }
        print(
            area, nearest, distances.joined(separator: " "), "|",
            estimate.zones.map { "\($0)" }.joined(separator: " "))
    }

    func seconds(_ body: () -> Void) -> Double {
        var (start, end) = (timespec(), timespec())
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start)
        body()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end)
        return Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) / 1e9
    }

    mutating func take(_ line: String) {
        let words = line.split(separator: " ")
        guard let command = words.first else { return }
        let rest = words.dropFirst()
        let numbers = rest.compactMap { Double($0) }
        switch command {
        case "height": height = numbers[0]
        case "power": power = numbers[0]
        case "floor": floor = points(numbers)
        case "gateway":
            gateways.append(
                .init(
                    String(rest.first ?? ""),
                    RoomPlace(PlanPoint(numbers[0], numbers[1]), z: numbers[2])))
        case "zone": zones.append(.init(String(rest.first ?? ""), points(numbers)))
        case "label":
            let place = RoomPlace(PlanPoint(numbers[0], numbers[1]), z: numbers[2])
            labels.append(RangingLabel(tag: 0, place: place, levels: levels(rest.dropFirst(3))))
        case "still":
            let model = ready()
            show(model.place(levels(rest), power: model.fit.powers[0]))
        case "start": filter = MotionFilter(ready().grid)
        case "moving":
            let model = ready()
            var tag = filter ?? MotionFilter(model.grid)
            show(tag.advance(levels(rest), power: model.fit.powers[0], model))
            filter = tag
        case "stand":
            let zone = Int(numbers[0])
            while standing.count <= zone { standing.append([]) }
            standing[zone].append(levels(rest.dropFirst()))
        case "second": recent.append(levels(rest))
        case "decide":
            let zones = fingerprints ?? ZoneFingerprints(standing)
            print(zones.probabilities(recent).map { "\($0)" }.joined(separator: " "))
            (fingerprints, recent) = (zones, [])
        case "cost":
            let model = ready()
            let some = levels(rest)
            var tag = MotionFilter(model.grid)
            let moving =
                seconds {
                    for _ in 0..<2000 { _ = tag.advance(some, power: .init(claimed: -59), model) }
                } / 2000
            let still =
                seconds { for _ in 0..<2000 { _ = model.place(some, power: .init(claimed: -59)) } }
                / 2000
            print("cost", model.grid.count, still * 1e6, moving * 1e6)
        default: print("unknown command \(command)")
        }
    }
}

var bench = Bench()
while let line = readLine() { bench.take(line) }
