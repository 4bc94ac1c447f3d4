import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  Activity,
  AppWindow,
  Calendar,
  CircleUserRound,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  ScrollText,
  Send,
  Ticket,
  UserCog,
  Users,
  Webhook,
} from 'lucide-react';
import { liveInterval } from '../api/live.ts';
import type { Target } from '../find/FindDialog.tsx';
import { KIND_NAMES, RECORD_KINDS } from '../records/kinds.ts';
import { type Role, useSession } from '../session/session.ts';
import { subscriptionsQuery } from '../subscriptions/requests.ts';
import { needsAttention } from '../subscriptions/states.ts';
import './Navigation.css';

type Entry = { to: string; name: string; icon: LucideIcon; role: Role };

/** The pages of the navigation in groups. The page Account is in the menu of the person. */
const GROUPS: readonly { name: string; entries: readonly Entry[] }[] = [
  {
    name: 'Integration',
    entries: [
      { to: '/', name: 'Overview', icon: LayoutDashboard, role: 'administrator' },
      { to: '/webhooks', name: 'Webhooks', icon: Webhook, role: 'administrator' },
      { to: '/deliveries', name: 'Deliveries', icon: Send, role: 'administrator' },
      { to: '/events', name: 'Events', icon: Activity, role: 'staff' },
    ],
  },
  {
    name: 'Practice',
    entries: [
      { to: '/records', name: 'Records', icon: Users, role: 'staff' },
      { to: '/schedule', name: 'Schedule', icon: Calendar, role: 'staff' },
    ],
  },
  {
    name: 'Access',
    entries: [
      { to: '/keys', name: 'API keys', icon: KeyRound, role: 'administrator' },
      { to: '/tokens', name: 'Access tokens', icon: Ticket, role: 'staff' },
      { to: '/operators', name: 'Operators', icon: UserCog, role: 'administrator' },
      { to: '/connections', name: 'Connected apps', icon: AppWindow, role: 'administrator' },
      { to: '/audit', name: 'Audit log', icon: ScrollText, role: 'administrator' },
    ],
  },
];

/** The pages of the navigation that the role may open, one after the other. */
export const pagesOf = (role: Role): Target[] =>
  GROUPS.flatMap(({ entries }) => entries)
    .filter((entry) => role === 'administrator' || entry.role === 'staff')
    .flatMap((entry): Target[] =>
      entry.to === '/records'
        ? RECORD_KINDS.map((kind) => ({ to: `/records/${kind}`, name: KIND_NAMES[kind], icon: entry.icon }))
        : [entry],
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
  const isAdministrator = role === 'administrator';
  return (
    <nav aria-label="Main">
      {GROUPS.map(({ name, entries }) => (
        <section key={name} aria-label={name}>
          <h2>{name}</h2>
          <ul>
            {entries
              .filter((entry) => isAdministrator || entry.role === 'staff')
              .map((entry) => (
                <li key={entry.to}>
                  <Link to={entry.to} activeOptions={{ exact: entry.to === '/' || entry.to === '/records' }}>
                    <entry.icon aria-hidden="true" />
                    {entry.name}
                    {entry.to === '/webhooks' && <Count />}
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
