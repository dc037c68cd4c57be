import Beacons
import Configuration
import Contract
import HomeAssistant
import JSON
import MQTT
import TestVectors
import Testing

@testable import Agent

@Suite("HomeAssistantPublisher")
struct HomeAssistantPublisherTests {
    private let discovery = "homeassistant/device/s/g/config"
    private let trackers = "sightline/v1/s/g/trackers"

    private func settings(_ names: String..., prefix: String = "homeassistant")
        -> HomeAssistantSettings
    {
        HomeAssistantSettings {
            $0.discoveryPrefix = prefix
            $0.trackers = names.enumerated().map {
                Tracker(name: $1, identity: Advertisements.beacon(UInt16($0)).identity)
            }
        }
    }

    private func publisher(_ settings: HomeAssistantSettings?) throws -> HomeAssistantPublisher {
        let topics = try #require(Topics(site: "s", gateway: "g"))
        return HomeAssistantPublisher(settings, topics: topics, session: "own", version: "1")
    }

    /// The topics, and whether the payload is empty.
    private func summary(_ outgoing: [Outgoing]) -> [String] {
        outgoing.map { $0.message.topic + ($0.message.payload.isEmpty ? " deleted" : "") }
    }

    @Test("without a configuration nothing is published")
    func none() throws {
        var publisher = try publisher(nil)
        publisher.connected()
        #expect(publisher.discoveryTopic == nil)
        #expect(publisher.takeDue(at: 0) == [])
    }

    @Test("each connection publishes both messages, the document after the earlier one arrived")
    func connection() throws {
        var publisher = try publisher(settings("a"))
        publisher.connected()
        publisher.subscribed(true)
        #expect(summary(publisher.takeDue(at: 0)) == [trackers])
        publisher.subscriptionAnswered()
        #expect(summary(publisher.takeDue(at: 0)) == [discovery])
        #expect(publisher.takeDue(at: 0) == [])
        publisher.connected()
        publisher.subscribed(false)
        #expect(summary(publisher.takeDue(at: 0)) == [trackers, discovery])
    }

    @Test("entities of an earlier document are removed before the document is published")
    func earlierDocument() throws {
        let topics = try #require(Topics(site: "s", gateway: "g"))
        let earlier = HomeDiscovery(
            prefix: "homeassistant", topics: topics, version: "0",
            trackers: settings("a", "b").trackers)
        var publisher = try publisher(settings("a"))
        publisher.connected()
        publisher.subscribed(true)
        _ = publisher.takeDue(at: 0)
        let message = Message(topic: discovery, payload: earlier.encoded, isRetained: true)
        let answer = publisher.received(message)
        #expect(summary(answer) == [discovery, discovery])
        publisher.subscriptionAnswered()
        #expect(publisher.takeDue(at: 0) == [])
        #expect(publisher.received(Message(topic: discovery, payload: earlier.encoded)) == [])
    }

    @Test("a new topic is subscribed to, and the message at the old one is deleted")
    func otherTopic() throws {
        var publisher = try publisher(settings("a"))
        let (subscribes, messages) = publisher.reconfigure(
            settings("a", prefix: "other"), canPublish: true)
        #expect(subscribes)
        #expect(messages == [])
        publisher.subscribed(true)
        #expect(summary(publisher.takeDue(at: 0)) == [discovery + " deleted", trackers])
    }

    @Test("a removed tracker is removed from the document at the same topic")
    func removedTracker() throws {
        var publisher = try publisher(settings("a", "b"))
        let (subscribes, messages) = publisher.reconfigure(settings("a"), canPublish: true)
        #expect(subscribes == false)
        #expect(summary(messages) == [discovery])
        #expect(summary(publisher.takeDue(at: 0)) == [trackers, discovery])
    }

    @Test("without a section, both messages are deleted")
    func removedSection() throws {
        var publisher = try publisher(settings("a"))
        _ = publisher.reconfigure(nil, canPublish: false)
        let deleted = Set(summary(publisher.takeDue(at: 0)))
        #expect(deleted == [discovery + " deleted", trackers + " deleted"])
        #expect(publisher.takeDue(at: 0) == [])
    }
}
