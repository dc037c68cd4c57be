// The views of the page, in the order of the navigation. A kind of result adds its view here.

import { BeaconsView } from './beacons.js'
import { GatewaysView } from './gateways.js'
import { NowView } from './now.js'
import { PlanView } from './plan.js'
import { QueueView } from './queue.js'
import { RegionsView } from './regions.js'

// The first item of a kind: the view opens with it.
const first = kind => (store, site) => {
  const item = [...store[kind].keys()][0] ?? site?.[kind]?.[0]
  return item ? `#/${kind}/${encodeURIComponent(item)}` : null
}

// `name` is the first part of the fragment, but for the first view's; `link` is null while there is nothing to show.
// `event`: the stream's event of the view's kind, whose documents the store keeps under `list`, else `name`.
export const VIEWS = [
  { name: 'now', text: 'Now', View: NowView, link: () => '#/' },
  { name: 'queues', event: 'queue', text: 'Queue', View: QueueView, link: first('queues') },
  { name: 'regions', event: 'region', text: 'Regions', View: RegionsView, link: first('regions') },
  { name: 'beacons', event: 'beacon', text: 'Beacons', View: BeaconsView, link: (store, site) => site?.beacons
    ? '#/beacons' : null },
  { name: 'plan', list: 'zones', event: 'zone', text: 'Plan', View: PlanView,
    link: (store, site) => store.zones.size || site?.beacons ? '#/plan' : null },
  { name: 'gateways', event: 'gateway', text: 'Gateways', View: GatewaysView, link: () => '#/gateways' },
]

export const viewOf = name => VIEWS.find(view => view.name === name && name !== VIEWS[0].name) ?? VIEWS[0]

// The kinds that the store keeps: the list of a snapshot, by the event, which is also the member with the item's name.
export const KINDS = Object.fromEntries(VIEWS.filter(({ event }) => event).map(({ name, list, event }) =>
  [event, list ?? name]))
