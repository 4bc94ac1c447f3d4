import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CornerDownLeft, Hash, KeyRound, type LucideIcon, Mail, Plus, UserCog, Webhook } from 'lucide-react';
import { useState } from 'react';
import {
  Autocomplete,
  Collection,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  TextField,
} from 'react-aria-components';
import { problemOf } from '../api/problems.ts';
import { handOver, rowsOf } from '../components/hand-over.ts';
import { isId } from '../components/id.ts';
import { PageDialog } from '../components/PageDialog.tsx';
import { partsOf } from '../components/Receiver.tsx';
import { visibleText } from '../components/visible-text.ts';
import { keptSince } from '../outcomes/period.ts';
import { keysQuery, operatorsQuery } from '../principals/requests.ts';
import { isKind } from '../record-kinds.ts';
import { Dismissed } from '../session/prompts.ts';
import { type Role, useSession } from '../session/session.ts';
import { subscriptionsQuery } from '../subscriptions/requests.ts';
import { type Found, findAnything } from './find.ts';
import { PATIENT_FIELD } from './patient-field.ts';
import '../components/Menu.css';
import './Find.css';

/** A page of the navigation. */
export type Target = { to: string; name: string; icon: LucideIcon };
/** Something that can be chosen. */
type Entry = { id: string; name: string; icon: LucideIcon; act(): void };
type Group = { name: string; entries: readonly Entry[] };

/** The buttons that open a dialog, and the pages that have them. */
const ACTIONS: readonly { name: string; to: string; role: Role }[] = [
  { name: 'New subscription', to: '/webhooks', role: 'administrator' },
  { name: 'New key', to: '/keys', role: 'administrator' },
  { name: 'New operator', to: '/operators', role: 'administrator' },
  { name: 'New access token', to: '/tokens', role: 'staff' },
  { name: 'New program token', to: '/tokens', role: 'administrator' },
];

/** A text of this length may be an id. */
const ID_LENGTH = 8;
/** The most entries of a group. */
const MAX_ENTRIES = 8;

/** Whether a word of the name begins with this text, such as `example` in `recall.example.com`. */
const hasWord = (name: string, text: string): boolean => {
  const lower = name.toLowerCase();
  for (let at = lower.indexOf(text); at !== -1; at = lower.indexOf(text, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(lower.charAt(at - 1))) return true;
  return false;
};

const useGroups = (text: string, pages: readonly Target[], go: Go): Group[] => {
  const isAdministrator = useSession().role === 'administrator';
  const read = { enabled: isAdministrator, refetchInterval: false } as const;
  const { data: subscriptions = [] } = useQuery({ ...subscriptionsQuery, ...read });
  const { data: keys = [] } = useQuery({ ...keysQuery, ...read });
  const { data: operators = [] } = useQuery({ ...operatorsQuery, ...read });
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = (name: string, entries: readonly Entry[]): Group => ({
    name,
    entries: entries
      .filter((entry) => words.every((word) => hasWord(entry.name, word)))
      .slice(0, words.length === 0 ? entries.length : MAX_ENTRIES),
  });
  const named = (name: string, entries: readonly Entry[]): Group =>
    words.length === 0 ? { name, entries: [] } : matching(name, entries);
  const id = text.trim();
  return [
    {
      name: 'Id',
      entries:
        isId(id) && id.length >= ID_LENGTH
          ? [{ id: 'id', name: 'Open what has this id', icon: Hash, act: () => go.toId(id) }]
          : [],
    },
    {
      name: 'Patients',
      entries: text.includes('@')
        ? [
            {
              id: 'email',
              name: 'Find the patient with this e-mail',
              icon: Mail,
              act: () => go.toPatient(id),
            },
          ]
        : [],
    },
    matching(
      'Pages',
      pages.map(({ to, name, icon }) => ({ id: to, name, icon, act: () => go.to(to) })),
    ),
    matching(
      'Actions',
      ACTIONS.filter(({ role }) => isAdministrator || role === 'staff').map(({ name, to }) => ({
        id: name,
        name,
        icon: Plus,
        act: () => go.to(to, name),
      })),
    ),
    named(
      'Subscriptions',
      subscriptions.map(({ _id, url }) => {
        const { host, path } = partsOf(url);
        return { id: _id, name: host + path, icon: Webhook, act: () => go.to(`/webhooks/${_id}`) };
      }),
    ),
    named(
      'API keys',
      keys.map(({ _id, name }) => ({
        id: _id,
        name,
        icon: KeyRound,
        act: () => go.to('/keys', rowsOf('API keys'), _id),
      })),
    ),
    named(
      'Operators',
      operators.map(({ _id, email }) => ({
        id: _id,
        name: email,
        icon: UserCog,
        act: () => go.to('/operators', rowsOf('operators'), _id),
      })),
    ),
  ].filter(({ entries }) => entries.length > 0);
};

/** Where a choice leads. */
type Go = {
  /** @param part a button to press there, or a table with the row `id` to go to */
  to(path: string, part?: string, id?: string): void;
  toId(id: string): void;
  /** @param email neither the address nor the history of the browser contains it */
  toPatient(email: string): void;
};

/** Opens the page of what was found. */
const useOpen = () => {
  const navigate = useNavigate();
  return ({ kind, id }: Found): Promise<void> => {
    if (isKind(kind)) return navigate({ to: '/records/$kind/$recordId', params: { kind, recordId: id } });
    if (kind === 'delivery') return navigate({ to: '/deliveries/$deliveryId', params: { deliveryId: id } });
    if (kind === 'event') return navigate({ to: '/events/$eventId', params: { eventId: id } });
    if (kind === 'request')
      return navigate({ to: '/deliveries', search: { requestId: id, since: keptSince() } });
    return navigate({ to: '/audit', search: { requestId: id } });
  };
};

/** One field that finds pages, actions, subscriptions by host, keys by name, people, and any id that is pasted. */
export const FindDialog = ({ pages, onClose }: { pages: readonly Target[]; onClose(): void }) => {
  const { role } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const open = useOpen();
  const [text, setText] = useState('');
  const search = useMutation({
    mutationFn: (id: string) => findAnything(queries, id, role),
    async onSuccess(found) {
      onClose();
      await open(found);
    },
  });
  const leaveTo = (to: string) => {
    onClose();
    void navigate({ to });
  };
  const groups = useGroups(text, pages, {
    to(path, part, id) {
      leaveTo(path);
      if (part !== undefined) handOver(part, id);
    },
    toId: (id) => search.mutate(id),
    toPatient(email) {
      leaveTo('/records/patients');
      handOver(PATIENT_FIELD, email);
    },
  });
  const isRefused = search.error !== null && !(search.error instanceof Dismissed);
  return (
    <PageDialog title="Find or do" isDismissable onClose={onClose}>
      <Autocomplete
        inputValue={text}
        onInputChange={(value) => {
          setText(value);
          search.reset();
        }}
      >
        <TextField aria-label="Page, action, host, key, person or id" autoFocus>
          <Input
            role="combobox"
            aria-expanded="true"
            className="find-field"
            placeholder="Page, action, host, key, person or id"
            maxLength={320}
          />
        </TextField>
        <p role="status" className={isRefused ? 'find-state bad' : 'find-state quiet'}>
          {search.isPending && 'Searching…'}
          {isRefused && problemOf(search.error).message}
          {!search.isPending && !isRefused && groups.length === 0 && 'Nothing matches.'}
        </p>
        <Menu aria-label="Found" className="menu found" items={groups}>
          {(group) => (
            <MenuSection id={group.name}>
              <Header>{group.name}</Header>
              <Collection items={group.entries}>
                {({ id, name, icon: Icon, act }) => (
                  <MenuItem id={`${group.name} ${id}`} textValue={name} onAction={act}>
                    <Icon aria-hidden="true" />
                    <span className="clip">{visibleText(name)}</span>
                    <CornerDownLeft aria-hidden="true" className="enter" />
                  </MenuItem>
                )}
              </Collection>
            </MenuSection>
          )}
        </Menu>
      </Autocomplete>
    </PageDialog>
  );
};
