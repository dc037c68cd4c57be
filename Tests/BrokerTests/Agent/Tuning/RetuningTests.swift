import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("changed report settings")
    struct RetuningTests {
        @Test(
            "windows change their width at its multiples, and filtered sightings are counted"
        )
        func windowsAndFilter() throws {
            let scene = try TunedScene()
            let agent = try scene.start()
            try scene.witness.waitForBatch { $0.count > 0 && $0.end - $0.start == 500 }
            try scene.publisher.publish(
                #"{"version":1,"report":{"windowMs":200}}"#, of: .fleet)
            let narrow = try scene.witness.waitForReport { $0.versions == [1, nil, nil] }
            #expect((narrow.effective["report"] as? [String: Any])?["windowMs"] as? Int == 200)
            let first = try scene.witness.waitForBatch { $0.end - $0.start == 200 }
            try scene.witness.waitForBatch { $0.seq == first.seq + 4 }
            let other = "00000000-0000-4000-8000-000000000001"
            try scene.publisher.publish(
                #"{"version":1,"filter":{"uuids":["\#(other)"]},"report":{"maxSilenceMs":0}}"#,
                of: .site)
            let filtered = try scene.witness.waitForBatch {
                $0.radio["filtered"] as? Int ?? 0 > 0 && $0.end - $0.start == 200
            }
            try scene.witness.waitForBatch { $0.seq == filtered.seq + 4 }
            try scene.publisher.publish("", of: .site)
            try scene.witness.waitForBatch { $0.seq > filtered.seq && $0.count > 0 }
            try scene.publisher.publish(#"{"version":2}"#, of: .fleet)
            let wide = try scene.witness.waitForBatch {
                $0.seq > filtered.seq && $0.end - $0.start == 500
            }
            try agent.end()
            try check(try scene.witness.batches(), first, filtered, wide)
            #expect(agent.complaints.isEmpty, "\(agent.complaints)")
        }

        private func check(
            _ batches: [SeenBatch], _ first: SeenBatch, _ filtered: SeenBatch, _ wide: SeenBatch
        ) throws {
            #expect(batches.map(\.seq) == Array(0..<batches.count))
            for (earlier, later) in zip(batches, batches.dropFirst()) {
                #expect(later.start == earlier.end)
                #expect(later.end - later.start <= 500)
            }
            #expect(
                batches.allSatisfy {
                    !(first.seq..<filtered.seq ~= $0.seq) || $0.end - $0.start <= 200
                })
            // Complete windows start at multiples of their width. Exceptions: the first, the last, and two at each change of
            // width or filter, where one window ends early and the next one starts.
            let odd = batches.filter { batch in
                !([200, 500].contains { batch.end - batch.start == $0 && batch.start % $0 == 0 })
            }
            #expect(odd.count <= 2 + 2 * 4, "\(odd.map { $0.end - $0.start })")
            for batch in batches {
                let count = { (key: String) in batch.radio[key] as? Int ?? -1 }
                #expect(count("beacons") == batch.count)
                #expect(count("reports") >= count("beacons") + count("filtered"))
                // No window has two filters.
                #expect(count("filtered") == 0 || count("beacons") == 0, "\(batch.text)")
            }
            for batch in batches where filtered.seq..<filtered.seq + 4 ~= batch.seq {
                #expect(batch.sightings.isEmpty)
                #expect(batch.radio["filtered"] as? Int ?? 0 > 0)
            }
        }
    }
}
