import Glibc
import Primitives

extension Reading {
    /// The power in one second of a wide window.
    ///
    /// The centre of the power tells whether the tag came or went. The tag's power is taken to change evenly, in
    /// decibels, over the time in which it was heard; then the centre gives the slope, and the mean gives the height.
    func tilted(to second: Range<UnixTime>) -> Reading {
        // In milliseconds.
        let (first, last) = (seen.lowerBound.milliseconds, seen.upperBound.milliseconds)
        let width = Double(last - first)
        guard let centroid, width >= 1000 else { return self }
        let middle = Double(first) + width / 2
        let offset = 2 * (Double(centroid.milliseconds) - middle) / width
        // exp(2·h·t) has its centre where Langevin's function of h is, here inverted (Cohen 1991).
        let centre = min(max(offset, -Self.mostOffset), Self.mostOffset)
        let half = centre * (3 - centre * centre) / (1 - centre * centre)
        let mean = half == 0 ? 1 : sinh(half) / half
        let (start, end) = (second.lowerBound.milliseconds, second.upperBound.milliseconds)
        let place = ((Double(start) + Double(end)) / 2 - middle) / width
        let growth = 2 * half * min(max(place, -0.5), 0.5)
        return Reading(
            tag: tag, power: power + (growth - log(mean)) * 10 / log(10), count: count, seen: seen,
            centroid: centroid, senders: senders)
    }

    /// A centre at the very end would be an infinite slope. Chosen.
    private static let mostOffset = 0.6
}
