import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  Activity,
  Blocks,
  Building2,
  Calendar,
  CalendarClock,
  CalendarDays,
  CircleUserRound,
  ClipboardList,
  CreditCard,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  ReceiptText,
  ScrollText,
  Send,
  Ticket,
  UserCog,
  Users,
  Webhook,
} from 'lucide-react';
import { liveInterval } from '../api/live.ts';
import { requestCountQuery } from '../clinics/request-count.ts';
import { nounAfter } from '../components/texts/numbers.ts';
import type { Target } from '../find/FindDialog.tsx';
import { KIND_NAMES, type Kind, RECORD_KINDS } from '../records/kinds.ts';
import { type Role, useSession } from '../session/session.ts';
import { subscriptionsQuery } from '../subscriptions/requests.ts';
import { needsAttention } from '../subscriptions/states.ts';
import './Navigation.css';

type Entry = { to: string; name: string; icon: LucideIcon };
type Group = { name: string; entries: readonly Entry[] };

const TODAY: Entry = { to: '/today', name: 'Today', icon: CalendarDays };
const SCHEDULE: Entry = { to: '/schedule', name: 'Schedule', icon: CalendarClock };
const EVENTS: Entry = { to: '/events', name: 'Events', icon: Activity };
const TOKENS: Entry = { to: '/tokens', name: 'Access tokens', icon: Ticket };

const recordsOf = (kind: Kind, icon: LucideIcon): Entry => ({
  to: `/records/${kind}`,
  name: KIND_NAMES[kind],
  icon,
});

/** The pages that each role may open, in groups. The page Account is in the menu of the person. */
const GROUPS: Readonly<Record<Role, readonly Group[]>> = {
  administrator: [
    {
      name: 'Integration',
      entries: [
        { to: '/', name: 'Overview', icon: LayoutDashboard },
        { to: '/webhooks', name: 'Webhooks', icon: Webhook },
        { to: '/deliveries', name: 'Deliveries', icon: Send },
        EVENTS,
      ],
    },
    { name: 'Practice', entries: [TODAY, { to: '/records', name: 'Records', icon: Users }, SCHEDULE] },
    {
      name: 'Access',
      entries: [
        { to: '/keys', name: 'API keys', icon: KeyRound },
        TOKENS,
        { to: '/operators', name: 'Operators', icon: UserCog },
        { to: '/connections', name: 'Connected apps', icon: Blocks },
        { to: '/audit', name: 'Audit log', icon: ScrollText },
      ],
    },
  ],
  staff: [
    {
      name: 'Desk',
      entries: [TODAY, recordsOf('patients', Users), recordsOf('appointments', Calendar), SCHEDULE],
    },
    {
      name: 'Accounts',
      entries: [
        recordsOf('invoices', ReceiptText),
        recordsOf('payments', CreditCard),
        recordsOf('treatments', ClipboardList),
      ],
    },
    { name: 'More', entries: [recordsOf('clinics', Building2), EVENTS, TOKENS] },
  ],
};

/** The pages of the navigation that the role may open, one after the other. */
export const pagesOf = (role: Role): Target[] =>
  GROUPS[role]
    .flatMap(({ entries }) => entries)
    .flatMap((entry): Target[] =>
      entry.to === '/records' ? RECORD_KINDS.map((kind) => recordsOf(kind, entry.icon)) : [entry],
    )
    .concat({ to: '/account', name: 'Account', icon: CircleUserRound });

/** How often the number of troubled subscriptions is read on pages that do not show subscriptions, in milliseconds. */
const INTERVAL_MS = 30_000;

/** The number of subscriptions that need attention. It is absent until they are read, and if there are none. */
const Count = () => {
  const { data = [] } = useQuery({
    ...subscriptionsQuery,
    refetchInterval: (query) => {
      const live = liveInterval(query);
      return live === false ? false : Math.max(live, INTERVAL_MS);
    },
  });
  const count = data.filter(needsAttention).length;
  if (count === 0) return null;
  return (
    <span className="count">
      {count}
      <span className="hidden"> need attention</span>
    </span>
  );
};

/** The number of requests of today. It is absent until the page Today has read it, and if there are none. */
const RequestCount = () => {
  const { data: count = 0 } = useQuery(requestCountQuery);
  if (count === 0) return null;
  return (
    <span className="count info">
      {count}
      <span className="hidden"> {nounAfter(count, 'request')} to confirm</span>
    </span>
  );
};

const Kinds = () => (
  <ul>
    {RECORD_KINDS.map((kind) => (
      <li key={kind}>
        <Link to="/records/$kind" params={{ kind }} activeOptions={{ includeSearch: false }}>
          {KIND_NAMES[kind]}
        </Link>
      </li>
    ))}
  </ul>
);

/** The pages that the role of the operator may open. */
export const Navigation = () => {
  const { role } = useSession();
  return (
    <nav aria-label="Main">
      {GROUPS[role].map(({ name, entries }) => (
        <section key={name} aria-label={name}>
          <h2>{name}</h2>
          <ul>
            {entries.map((entry) => (
              <li key={entry.to}>
                <Link to={entry.to} activeOptions={{ exact: entry.to === '/' || entry.to === '/records' }}>
                  <entry.icon aria-hidden="true" />
                  {entry.name}
                  {entry.to === '/webhooks' && <Count />}
                  {entry.to === '/today' && <RequestCount />}
                </Link>
                {entry.to === '/records' && <Kinds />}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
};
