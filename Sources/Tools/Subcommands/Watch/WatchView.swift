import Beacons
import Primitives
import Subscriber
import Terminal

/// What the operator looks at: the list in focus, its selection, filter and order. Keys change it as in htop(1).
struct WatchView {
    enum Focus {
        case gateways
        case beacons
    }

    /// The element whose details replace both lists.
    enum Opened: Equatable {
        case gateway(GatewayName)
        case beacon(BeaconIdentity)
    }

    /// One of the two lists.
    struct List<ID: Hashable, Order: CaseIterable & Equatable> {
        fileprivate(set) var position = ListPosition<ID>()
        fileprivate(set) var filter = ListFilter()
        fileprivate(set) var order: Order

        fileprivate mutating func sortNext() {
            let all = Array(Order.allCases)
            let next = (all.firstIndex(of: order) ?? 0) + 1
            order = all[next % all.count]
        }
    }

    enum GatewayOrder: String, CaseIterable {
        /// The worst condition first.
        case problems
        case name
    }

    enum BeaconOrder: String, CaseIterable {
        /// First appearance. A new beacon takes the place of one that left.
        case appearance
        case identity
        /// The slow average of the strongest gateway, in steps of 6 dB.
        case strength
    }

    enum Action: Equatable {
        case redraw
        case pause
        case quit
    }

    private(set) var focus = Focus.gateways
    private(set) var gateways = List<GatewayName, GatewayOrder>(order: .problems)
    private(set) var beacons = List<BeaconIdentity, BeaconOrder>(order: .appearance)
    private(set) var opened: Opened?
    /// The first line of the details.
    private(set) var detailsFirst = 0
    private(set) var showsHelp = false

    /// - Parameter page: what the screen shows.
    mutating func on(_ key: Key, _ page: WatchPage) -> Action {
        if filter.isTyping {
            type(key)
            return .redraw
        }
        switch key {
        case .character("q"): return .quit
        case .character("p"): return .pause
        case .character("?"): showsHelp.toggle()
        case .character("/") where opened == nil && !showsHelp:
            if focus == .gateways {
                gateways.filter.beginTyping()
            } else {
                beacons.filter.beginTyping()
            }
        case .character("s") where opened == nil:
            if focus == .gateways { gateways.sortNext() } else { beacons.sortNext() }
        case .tab where opened == nil: focus = focus == .gateways ? .beacons : .gateways
        case .enter where !showsHelp: open(page)
        case .escape, .left, .backspace: back()
        case .up: move(-1, page)
        case .down: move(1, page)
        case .pageUp: move(-max(1, height(page) - 1), page)
        case .pageDown: move(max(1, height(page) - 1), page)
        case .home: move(-page.longest, page)
        case .end: move(page.longest, page)
        default: break
        }
        return .redraw
    }

    /// The filter of the list in focus.
    var filter: ListFilter { focus == .gateways ? gateways.filter : beacons.filter }

    private mutating func type(_ key: Key) {
        if focus == .gateways {
            if gateways.filter.on(key) { gateways.position.moveToStart() }
        } else {
            if beacons.filter.on(key) { beacons.position.moveToStart() }
        }
    }

    private mutating func open(_ page: WatchPage) {
        guard opened == nil else { return }
        detailsFirst = 0
        switch focus {
        case .gateways:
            opened = gateways.position.index(in: page.gateways)
                .map { .gateway(page.gateways[$0]) }
        case .beacons:
            opened = beacons.position.index(in: page.beacons).map { .beacon(page.beacons[$0]) }
        }
    }

    /// Closes the help, else the details, else the filter.
    private mutating func back() {
        if showsHelp {
            showsHelp = false
        } else if opened != nil {
            opened = nil
        } else if focus == .gateways {
            gateways.filter.clear()
        } else {
            beacons.filter.clear()
        }
    }

    private mutating func move(_ steps: Int, _ page: WatchPage) {
        if opened != nil {
            detailsFirst = max(0, min(detailsFirst + steps, page.detailLines - 1))
        } else if focus == .gateways {
            gateways.position.move(by: steps, in: page.gateways, height: page.gatewayHeight)
        } else {
            beacons.position.move(by: steps, in: page.beacons, height: page.beaconHeight)
        }
    }

    private func height(_ page: WatchPage) -> Int {
        opened != nil ? page.height : focus == .gateways ? page.gatewayHeight : page.beaconHeight
    }
}
