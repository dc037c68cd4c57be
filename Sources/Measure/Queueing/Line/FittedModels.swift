// All fitted numbers of the estimator. `Tests/QueueBench/fit` writes this file: a part for each shopping mode, and one
// for people who give up. Chosen numbers stand beside the code that uses them.

// MARK: fit, direct
// Fitted on 2026-11-26: maximum likelihood of the sequences of visits and other presences in 164 hours of the
// worlds 5/6/5/10, 3/6/5/10, 10/6/5/10, 5/8/1/30 and 5/4/10/0 (metres / σ in dB / reports a second / loss in
// %). 20 hours are of Tests/QueueBench/simulate (seed 301), and 25 of the virtual radio (402). 64 of
// Tests/QueueBench/stores count 0.6 each, 15 with two queues and one entry (402) 0.5, and 40 with rushes
// 0.15.

extension LineModel {
    package static let direct = LineModel(
        join: Edge(
            constant: -6.941 + proposal,
            entry: [-0.0987, -0.0167, -0.0280, -0.0901, 0.5865, -0.0781, -0.0680, -0.0159, 0.0096],
            till: [0.0156, -0.0032, -0.0228, -0.0192, -0.0024, 0.0298, 0.0647, 0.0256, 0.0946],
            ownEntry: 0.0128, ownTill: 0.0094),
        leave: Edge(
            constant: -6.541,
            entry: [-0.0179, -0.0319, -0.0194, -0.0333, 0.1756, -0.0361, -0.0257, 0.0069, -0.0545],
            till: [0.0781, 0.0619, 0.0279, -0.0331, 0.5637, -0.1529, -0.0927, -0.0343, -0.0873],
            ownEntry: -0.0366, ownTill: -0.0824),
        stay: Stay(
            bound: 0.2558, offset: 0.0986, constant: -0.4250,
            near: Weights(entry: -0.0006, till: -0.0185, loudest: -0.0092),
            wide: Weights(entry: 0.0037, till: 0.0553, loudest: 0.0234),
            own: Weights(entry: 0.0015, till: -0.0440, loudest: -0.0196)))
}

extension VisitModel {
    static let direct = VisitModel(
        joining: LineModel.Edge(
            constant: -5.470,
            entry: [0.0387, 0.0205, 0.0023, 0.0278, 0.0906, -0.0103, -0.0198, -0.0110, 0.0123],
            till: [0.0228, -0.0169, -0.0233, -0.0284, -0.0185, -0.0103, 0.0082, 0.0079, -0.0046],
            ownEntry: -0.0396, ownTill: -0.0225),
        leaving: LineModel.Edge(
            constant: 0.000,
            entry: [-0.0170, -0.0025, 0.0019, 0.0040, -0.0172, -0.0169, -0.0441, -0.0378, -0.0263],
            till: [0.0402, 0.0388, 0.0216, 0.0234, 0.0724, 0.0339, -0.0005, -0.0185, -0.0228],
            ownEntry: 0.0568, ownTill: -0.0217),
        staying: Weights(entry: 0.0098, till: 0.0409, loudest: -0.0133),
        stay: 9.0544, length: 0.7265, lengthSquare: 0.0759, gain: 0.0661,
        inclination: directInclination)
}

extension PresenceModel {
    static let direct = PresenceModel(
        levels: Levels(
            own: LineEnds(entry: -0.0862, till: -0.1267),
            short: Weights(entry: 0.0668, till: 0.2964, loudest: 0.1248),
            medium: Weights(entry: 0.0256, till: -0.0617, loudest: 0.0076),
            long: Weights(entry: 0.0714, till: 0.1249, loudest: -0.1330),
            slowPeaks: LineEnds(entry: 0.0549, till: 0.0249),
            fastPeaks: LineEnds(entry: -0.1027, till: -0.2284)),
        margin: 0.5340, laggedMargin: 0.0206, age: 0.2210, seen: -0.3940,
        joining: 0.7519, staying: -0.9870, constant: 4.5720)
}

// MARK: fit, browsing
// Fitted on 2026-11-25: 35 hours of the virtual radio, five of the world 5/6/5/10, and six of each of the
// five worlds with --shop (seeds 402, 2402 and 2403).

extension LineModel {
    package static let browsing = LineModel(
        join: Edge(
            constant: -6.945 + proposal,
            entry: [0.0734, -0.0799, -0.1572, -0.1504, 0.7247, -0.1129, -0.1382, 0.0064, 0.0802],
            till: [0.0883, -0.0485, -0.0373, 0.0188, -0.0986, 0.0221, 0.0522, 0.0493, 0.0858],
            ownEntry: 0.0468, ownTill: 0.0169),
        leave: Edge(
            constant: -6.545,
            entry: [
                -0.0100, -0.0190, -0.0384, -0.0500, 0.1685, -0.0216, -0.0134, -0.0373, -0.0419,
            ], till: [0.1193, 0.0491, -0.0134, 0.0143, 0.5177, -0.1831, -0.0883, -0.0822, -0.0832],
            ownEntry: -0.0176, ownTill: -0.0691),
        stay: Stay(
            bound: 0.1634, offset: 0.0855, constant: -0.4128,
            near: Weights(entry: 0.0030, till: -0.0049, loudest: 0.0356),
            wide: Weights(entry: -0.0086, till: 0.0169, loudest: 0.0177),
            own: Weights(entry: 0.0134, till: -0.0249, loudest: -0.0231)))
}

extension VisitModel {
    static let browsing = VisitModel(
        joining: LineModel.Edge(
            constant: -2.829,
            entry: [0.0376, 0.0102, 0.0123, 0.0162, 0.0262, -0.0027, -0.0043, 0.0004, 0.0051],
            till: [0.0170, 0.0144, 0.0117, 0.0122, -0.0097, 0.0069, 0.0045, 0.0060, -0.0038],
            ownEntry: -0.0382, ownTill: -0.0177),
        leaving: LineModel.Edge(
            constant: 0.000,
            entry: [-0.0230, -0.0052, 0.0111, 0.0040, 0.0007, -0.0350, -0.0239, -0.0500, -0.0115],
            till: [0.0218, 0.0112, 0.0191, 0.0250, 0.0547, 0.0210, -0.0009, 0.0061, -0.0120],
            ownEntry: -0.0242, ownTill: -0.0475),
        staying: Weights(entry: -0.0077, till: 0.0245, loudest: 0.0213),
        stay: 6.0758, length: 0.5757, lengthSquare: 0.0593, gain: 0.0492,
        inclination: browsingInclination)
}

extension PresenceModel {
    static let browsing = PresenceModel(
        levels: Levels(
            own: LineEnds(entry: -0.0154, till: -0.1177),
            short: Weights(entry: 0.0776, till: 0.2370, loudest: 0.1427),
            medium: Weights(entry: 0.0425, till: 0.1654, loudest: -0.1536),
            long: Weights(entry: 0.0323, till: -0.1687, loudest: 0.0787),
            slowPeaks: LineEnds(entry: 0.1791, till: 0.1083),
            fastPeaks: LineEnds(entry: -0.1790, till: -0.3006)),
        margin: 0.5440, laggedMargin: 0.0136, age: -0.2945, seen: 0.8963,
        joining: 0.4597, staying: -1.3800, constant: -0.6526)
}

// MARK: fit, giving up
// Fitted on 2026-11-22: logistic regression on the stays that overtake another one and are no visits, in the
// worlds of the direct models of that day and of Tests/QueueBench/simulate (seeds 201 to 205).

extension GivingUpModel {
    static let fitted = GivingUpModel(
        constant: -0.776,
        joining: Edge(
            before: LineEnds(entry: 0.0022, till: -0.0191),
            at: LineEnds(entry: 0.1260, till: 0.0172),
            after: LineEnds(entry: -0.0075, till: -0.0884)),
        leaving: Edge(
            before: LineEnds(entry: 0.0030, till: 0.0050),
            at: LineEnds(entry: 0.0187, till: -0.1046),
            after: LineEnds(entry: 0.1441, till: -0.0196)))
}
