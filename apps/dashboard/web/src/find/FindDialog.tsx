import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  Building2,
  CornerDownLeft,
  Hash,
  KeyRound,
  type LucideIcon,
  Mail,
  Plus,
  Settings,
  UserCog,
  UserRound,
  UsersRound,
  Webhook,
} from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
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
import { clinicsQuery } from '../clinics/requests.ts';
import { PageDialog } from '../components/dialogs/PageDialog.tsx';
import { useIfShown } from '../components/states/if-shown.ts';
import { partsOf } from '../components/texts/Receiver.tsx';
import { visibleText } from '../components/texts/visible-text.ts';
import { handOver, rowsOf } from '../components/transitions/hand-over.ts';
import { keptSince } from '../deliveries/period.ts';
import { keysQuery, operatorsQuery } from '../principals/requests.ts';
import { isKind } from '../records/kinds.ts';
import { hasShortWord, PATIENT_FIELD, recognize, SHORT_HINT } from '../records/patient-search.ts';
import type { FoundPatients } from '../records/patients.ts';
import { Dismissed } from '../session/prompts.ts';
import { type Role, useSession } from '../session/session.ts';
import { subscriptionsQuery } from '../subscriptions/requests.ts';
import { type Found, findAnything } from './find.ts';
import { usePatients } from './use-patients.ts';
import '../components/menus/Menu.css';
import './Find.css';

/** A page of the navigation. */
export type Target = { to: string; name: string; icon: LucideIcon };
/** Something that can be chosen. */
type Entry = {
  id: string;
  name: string;
  icon: LucideIcon;
  note?: string;
  /** Other words that find it. */
  words?: string;
  act(): void;
};
type Group = { name: string; entries: readonly Entry[] };

/** The buttons that open a dialog, and the pages that have them. */
const ACTIONS: readonly { name: string; to: string; role: Role }[] = [
  { name: 'New subscription', to: '/webhooks', role: 'administrator' },
  { name: 'New key', to: '/keys', role: 'administrator' },
  { name: 'New operator', to: '/operators', role: 'administrator' },
  { name: 'New access token', to: '/tokens', role: 'staff' },
  { name: 'New program token', to: '/tokens', role: 'administrator' },
];

/** The parts of the schedule, and other words for them. */
const PARTS: readonly { name: string; tab: string; words: string }[] = [
  { name: 'Opening hours', tab: 'hours', words: 'office times' },
  { name: 'Closed days', tab: 'closed', words: 'holidays vacation' },
  { name: 'Providers', tab: 'providers', words: 'dentists hygienists' },
  { name: 'Procedures', tab: 'procedures', words: 'prices durations' },
  { name: 'Blocks', tab: 'blocks', words: 'breaks calendar' },
];

const LABEL = 'Patient, page, clinic, action, host, key or id';
/** A text of this length may be an id. */
const ID_LENGTH = 8;
/** The most entries of a group. */
const MAX_ENTRIES = 8;

/** A text without the marks of its letters and without capitals: `Köln` is found by `koln`. */
const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Whether a word of the name begins with this text, such as `example` in `recall.example.com`. */
const hasWord = (name: string, text: string): boolean => {
  const lower = folded(name);
  for (let at = lower.indexOf(text); at !== -1; at = lower.indexOf(text, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(lower.charAt(at - 1))) return true;
  return false;
};

const useGroups = (
  text: string,
  pages: readonly Target[],
  patients: FoundPatients | undefined,
  go: Go,
): Group[] => {
  const isAdministrator = useSession().role === 'administrator';
  const read = { enabled: isAdministrator, refetchInterval: false } as const;
  const { data: subscriptions = [] } = useQuery({ ...subscriptionsQuery, ...read });
  const urls = subscriptions.map(({ url }) => url);
  const { data: keys = [] } = useQuery({ ...keysQuery, ...read });
  const { data: operators = [] } = useQuery({ ...operatorsQuery, ...read });
  const words = folded(text).split(/\s+/).filter(Boolean);
  const matching = (name: string, entries: readonly Entry[]): Group => ({
    name,
    entries: entries
      .filter(({ name: own, words: other = '' }) => words.every((word) => hasWord(`${own} ${other}`, word)))
      .slice(0, words.length === 0 ? entries.length : MAX_ENTRIES),
  });
  const named = (name: string, entries: readonly Entry[]): Group =>
    words.length === 0 ? { name, entries: [] } : matching(name, entries);
  const { data: clinics = [] } = useQuery(clinicsQuery);
  const entered = text.trim();
  const { by } = recognize(entered);
  const patientEntries = (patients?.data ?? []).map(({ _id, name, email, phone, clinicId }): Entry => {
    const clinic = clinics.find((each) => each._id === clinicId)?.name;
    return {
      id: _id,
      name: name || `…${_id.slice(-4)}`,
      note: [email || phone, clinic].filter(Boolean).join(', '),
      icon: UserRound,
      act: () => go.to(`/records/patients/${_id}`),
    };
  });
  return [
    {
      name: 'Id',
      entries:
        by === 'id' && entered.length >= ID_LENGTH
          ? [{ id: 'id', name: 'Open what has this id', icon: Hash, act: () => go.toId(entered) }]
          : [],
    },
    {
      name: 'Patients',
      entries:
        by === 'email'
          ? [
              {
                id: 'email',
                name: 'Find the patient with this e-mail',
                icon: Mail,
                act: () => go.toPatients(entered),
              },
            ]
          : [],
    },
    matching(
      'Pages',
      pages.map(({ to, name, icon }) => ({ id: to, name, icon, act: () => go.to(to) })),
    ),
    named(
      'Settings',
      PARTS.map(({ tab, ...part }) => ({
        ...part,
        id: tab,
        icon: Settings,
        act: () => go.toSchedule(tab),
      })),
    ),
    matching(
      'Do',
      ACTIONS.filter(({ role }) => isAdministrator || role === 'staff').map(({ name, to }) => ({
        id: name,
        name,
        icon: Plus,
        act: () => go.to(to, name),
      })),
    ),
    named(
      'Clinics',
      clinics.map(({ _id, name }) => ({
        id: _id,
        name: name ?? _id,
        icon: Building2,
        act: () => go.to(`/records/clinics/${_id}`),
      })),
    ),
    named(
      'Subscriptions',
      subscriptions.map(({ _id, url, clinicId }) => {
        const { host, path } = partsOf(url);
        // Several clinics may have the same receiver.
        const isShared = urls.indexOf(url) !== urls.lastIndexOf(url);
        const clinic = isShared ? clinics.find((each) => each._id === clinicId)?.name : undefined;
        return {
          id: _id,
          name: host + path,
          ...(clinic !== undefined && { note: clinic }),
          icon: Webhook,
          act: () => go.to(`/webhooks/${_id}`),
        };
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
    // They are last, so that nothing moves when they arrive.
    {
      name: 'Patients',
      entries:
        patients?.nextCursor === undefined
          ? patientEntries
          : [
              ...patientEntries,
              {
                id: 'more',
                name: by === 'phone' ? 'All patients with this number' : 'All patients with this name',
                icon: UsersRound,
                act: () => go.toPatients(entered),
              },
            ],
    },
  ].filter(({ entries }) => entries.length > 0);
};

/** Where a choice leads. */
type Go = {
  /** @param part a button to press there, or a table with the row `id` to go to */
  to(path: string, part?: string, id?: string): void;
  /** @param tab the part of the schedule */
  toSchedule(tab: string): void;
  toId(id: string): void;
  /** @param text a search for patients, which neither the address nor the history of the browser contains */
  toPatients(text: string): void;
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

/** What the field finds, after a text that nothing matches. */
const Findable = ({ isAdministrator }: { isAdministrator: boolean }) => (
  <div className="findable quiet small">
    <p>You can find:</p>
    <ul>
      <li>pages and settings, such as Appointments or Closed days</li>
      <li>clinics by name</li>
      <li>buttons that create something, such as New access token</li>
      <li>patients by name, phone number or e-mail address</li>
      {isAdministrator && <li>subscriptions by host, API keys and operators by name</li>}
      <li>anything that has an id, by its id</li>
    </ul>
    <p>Appointments are booked and changed with the API. Their page shows those of any day.</p>
  </div>
);

/**
 * One field that finds pages, actions, subscriptions by host, keys by name, people, patients by name and number, and any
 * id that is pasted.
 */
export const FindDialog = ({
  pages,
  takeTyped,
  onClose,
}: {
  pages: readonly Target[];
  /** What was typed before the dialog was there. */
  takeTyped(): string;
  onClose(): void;
}) => {
  const { role } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const open = useOpen();
  const ifShown = useIfShown();
  const [text, setText] = useState('');
  const onShown = useEffectEvent(() => {
    const typed = takeTyped();
    if (typed === '') return;
    // As if it were typed now: then the first entry that it finds gets the focus. The command itself does not announce the input.
    const announced = new InputEvent('beforeinput', { bubbles: true, inputType: 'insertText', data: typed });
    document.activeElement?.dispatchEvent(announced);
    document.execCommand('insertText', false, typed);
  });
  // By the next frame, the field has the focus, and the entries are there.
  useEffect(() => {
    const frame = requestAnimationFrame(() => onShown());
    return () => cancelAnimationFrame(frame);
  }, []);
  const search = useMutation({
    mutationFn: (id: string) => findAnything(queries, id, role),
    onSuccess: (found) =>
      ifShown(() => {
        onClose();
        return open(found);
      }),
  });
  const leaveTo = (to: string) => {
    onClose();
    void navigate({ to });
  };
  const patients = usePatients(text);
  const go: Go = {
    to(path, part, id) {
      leaveTo(path);
      if (part !== undefined) handOver(part, id);
    },
    toSchedule(tab) {
      onClose();
      void navigate({ to: '/schedule', search: { tab } });
    },
    toId: (id) => search.mutate(id),
    toPatients(wanted) {
      leaveTo('/records/patients');
      handOver(PATIENT_FIELD, wanted);
    },
  };
  const groups = useGroups(text, pages, patients.data, go);
  const isPending = search.isPending || patients.isPending;
  // A failed search for patients does not matter to a person who looks for something else.
  const error = search.error ?? (groups.length === 0 ? patients.error : null);
  const isRefused = error !== null && !(error instanceof Dismissed);
  const isBad = isRefused && error !== patients.refusal;
  return (
    <PageDialog title="Find or do" isDismissable onClose={onClose}>
      <Autocomplete
        inputValue={text}
        onInputChange={(value) => {
          setText(value);
          search.reset();
        }}
      >
        <TextField aria-label={LABEL} autoFocus>
          <Input
            role="combobox"
            aria-expanded="true"
            className="find-field"
            placeholder={LABEL}
            maxLength={320}
            onKeyDown={({ key, nativeEvent }) => {
              // The page Patients continues a search that has found nothing yet.
              if (key === 'Enter' && !nativeEvent.isComposing && patients.isPending && groups.length === 0)
                go.toPatients(text.trim());
            }}
          />
        </TextField>
        <p role="status" className={isBad ? 'find-state bad' : 'find-state quiet'}>
          {isPending && 'Searching…'}
          {!isPending && isRefused && problemOf(error).message}
          {!isPending && !isRefused && groups.length === 0 && 'Nothing matches. '}
          {!isPending && !isRefused && hasShortWord(recognize(text)) && SHORT_HINT}
        </p>
        <Menu
          aria-label="Found"
          className="menu found"
          items={groups}
          renderEmptyState={() => !isPending && !isRefused && <Findable isAdministrator={role !== 'staff'} />}
        >
          {(group) => (
            <MenuSection id={group.name}>
              <Header>{group.name}</Header>
              <Collection items={group.entries}>
                {({ id, name, note, icon: Icon, act }) => (
                  <MenuItem id={`${group.name} ${id}`} textValue={name} onAction={act}>
                    <Icon aria-hidden="true" />
                    <span className="clip">
                      <bdi>{visibleText(name)}</bdi>
                    </span>
                    {note && <span className="clip note-of">{visibleText(note)}</span>}
                    <CornerDownLeft aria-hidden="true" className="enter" />
                  </MenuItem>
                )}
              </Collection>
            </MenuSection>
          )}
        </Menu>
        <p aria-hidden="true" className="find-keys small quiet">
          <kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Enter</kbd> open
        </p>
      </Autocomplete>
    </PageDialog>
  );
};
