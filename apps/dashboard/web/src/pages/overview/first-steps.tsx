import type { AuditEntry, Operator, WebhookSubscription } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { stateOf } from '../../audit/words.ts';
import { clinicsQuery } from '../../clinics/requests.ts';
import { allProvidersQuery } from '../../clinics/settings.ts';
import { weekText } from '../../clinics/week-text.ts';
import { countText, nounAfter } from '../../components/texts/numbers.ts';
import { Time } from '../../components/texts/Time.tsx';
import { visibleText } from '../../components/texts/visible-text.ts';
import { operatorName } from '../../principals/operator-name.ts';
import { keysQuery, operatorsQuery } from '../../principals/requests.ts';
import { useSession } from '../../session/session.ts';
import type { Outcomes } from '../../statistics/hours.ts';
import { subscriptionsQuery } from '../../subscriptions/requests.ts';
import { firstChangesQuery, firstHoursQuery, hasSucceededQuery } from './requests.ts';

/** A step of a new practice. It is done when the data says so. */
export type Step = {
  name: string;
  isDone: boolean;
  text: ReactNode;
  /** Who does it, or who has done it. */
  who: ReactNode;
  /** What the person can do now. Absent if something else must exist before. */
  action?: { name: string; to: string; opens?: string };
};
/** A step whose data could not be read, and a function that reads it again. */
export type UnknownStep = { name: string; again(): unknown };

type Query = { isPending: boolean; data: unknown; refetch(): unknown };

const works = ({ state }: WebhookSubscription): boolean => state === 'healthy' || state === 'recovering';

/**
 * Whether a webhook has arrived, which ends the first steps; undefined while that is read.
 *
 * @param total the deliveries of the last 24 hours
 */
export const useHasWebhook = (
  subscriptions: readonly WebhookSubscription[] | undefined,
  total: Outcomes,
): boolean | undefined => {
  const isKnown = subscriptions === undefined || subscriptions.some(works) || total.succeeded > 0;
  const isRead = !isKnown && subscriptions.length > 0;
  const { data, isPending } = useQuery({ ...hasSucceededQuery, enabled: isRead });
  if (subscriptions?.length === 0) return false;
  if (!isRead) return true;
  // If it cannot be read, the charts stay: they say more about a practice that works.
  return isPending ? undefined : (data ?? true);
};

/** Who else is an administrator, in words. */
const orOthers = (operators: readonly Operator[], me: string): string => {
  const others = operators.filter(
    ({ _id, role, active, invitation }) =>
      _id !== me && role === 'administrator' && active && invitation === undefined,
  );
  const [other] = others;
  if (other === undefined) return 'You';
  return others.length === 1 ? `You, or ${visibleText(operatorName(other))}` : 'You, or any administrator';
};

/** The first names of a list, and how many more there are. */
const andMore = (names: readonly string[]): string => {
  const [first = '', ...more] = names;
  return more.length === 0 ? visibleText(first) : `${visibleText(first)} and ${countText(more.length)} more`;
};

/** Who made the first change of a kind, and when. Nothing if the audit log does not say it. */
const Doer = ({ kind, operators }: { kind: AuditEntry['kind']; operators: readonly Operator[] }) => {
  const { operatorId } = useSession();
  const { data } = useQuery(firstChangesQuery);
  const entry = data?.findLast((each) => each.kind === kind && stateOf(each.result) === undefined);
  if (entry === undefined) return null;
  const { principal, time } = entry;
  if (principal.kind === 'system')
    return (
      <>
        Service operator, <Time value={time} />
      </>
    );
  const operator = operators.find(({ _id }) => _id === principal.id);
  if (operator === undefined) return null;
  return (
    <>
      {principal.id === operatorId ? 'You' : visibleText(operatorName(operator))}, <Time value={time} />
    </>
  );
};

const clinicStep = (clinics: readonly { name?: string; timezone?: string }[]): Omit<Step, 'name'> => {
  const [first] = clinics;
  if (first === undefined)
    return {
      isDone: false,
      text: 'The operator of the service adds your first clinic. All other steps follow from it.',
      who: 'Service operator',
    };
  const zone = first.timezone === undefined ? '' : `, times of ${first.timezone}`;
  return {
    isDone: true,
    text:
      clinics.length === 1
        ? `${visibleText(first.name ?? '')}${zone}.`
        : `${andMore(clinics.map(({ name = '' }) => name))}.`,
    who: 'Service operator',
    action: { name: 'Open', to: '/records/clinics' },
  };
};

const webhookStep = (subscriptions: readonly WebhookSubscription[]): Omit<Step, 'name'> => {
  const who = 'You, with your developer’s URL';
  const [first] = subscriptions;
  if (first === undefined)
    return {
      ...{ isDone: false, who, text: 'Sends each change to a receiver. Done when a test succeeds.' },
      action: { name: 'New subscription', to: '/webhooks', opens: 'New subscription' },
    };
  return {
    ...{
      isDone: false,
      who,
      text: 'Nothing has arrived yet. Send a test: the step is done when it succeeds.',
    },
    action: { name: 'Open', to: subscriptions.length === 1 ? `/webhooks/${first._id}` : '/webhooks' },
  };
};

/**
 * The five steps of a new practice, from its data. The last one ends them, so it is never done here.
 *
 * @returns undefined while they are read
 */
export const useSteps = (): (Step | UnknownStep)[] | undefined => {
  const { operatorId } = useSession();
  const clinics = useQuery(clinicsQuery);
  const hours = useQuery({ ...firstHoursQuery(clinics.data ?? []), enabled: clinics.data !== undefined });
  const providers = useQuery(allProvidersQuery);
  const operators = useQuery(operatorsQuery);
  const keys = useQuery(keysQuery);
  const subscriptions = useQuery(subscriptionsQuery);
  const changes = useQuery(firstChangesQuery);
  // Without the clinics, their hours are never read.
  const all = [clinics, providers, operators, keys, subscriptions, changes, ...(clinics.data ? [hours] : [])];
  if (all.some(({ isPending }) => isPending)) return undefined;
  const people = (operators.data ?? []).filter(({ _id, active }) => _id !== operatorId && active);
  const orAdministrator = orOthers(operators.data ?? [], operatorId);
  const doerOf = (kind: AuditEntry['kind']) => <Doer kind={kind} operators={operators.data ?? []} />;
  const needsClinic = clinics.data?.length === 0;
  const of = (
    name: string,
    queries: readonly Query[],
    step: () => Omit<Step, 'name'>,
  ): Step | UnknownStep => {
    const failed = queries.filter(({ data }) => data === undefined);
    return failed.length > 0
      ? { name, again: () => Promise.all(failed.map((each) => each.refetch())) }
      : { name, ...step() };
  };
  const afterClinic = (step: Omit<Step, 'name'>): Omit<Step, 'name'> => {
    if (!needsClinic) return step;
    const { action: _, ...rest } = step;
    return { ...rest, who: 'After the clinic' };
  };
  const count = providers.data?.length ?? 0;
  return [
    of('Clinic', [clinics], () => clinicStep(clinics.data ?? [])),
    of('Opening hours', [clinics, ...(clinics.data ? [hours] : [])], () =>
      hours.data
        ? {
            isDone: true,
            text: `${weekText(hours.data.weekdays)}${count > 0 ? `, ${countText(count)} ${nounAfter(count, 'provider')}` : ''}. Free slots follow from them.`,
            who: doerOf('openingHours'),
            action: { name: 'Open', to: '/schedule' },
          }
        : afterClinic({
            isDone: false,
            text: 'Free slots follow from them, for the phone, for online booking and for assistants.',
            who: orAdministrator,
            action: { name: 'Set hours', to: '/schedule' },
          }),
    ),
    of('People', [operators], () =>
      people.length > 0
        ? {
            isDone: true,
            text: `${andMore(people.map(operatorName))}, besides you.`,
            who: doerOf('operator'),
            action: { name: 'Open', to: '/operators' },
          }
        : {
            isDone: false,
            text: 'Add the desk, so that patients are not looked up with your account.',
            who: orAdministrator,
            action: { name: 'Add a person', to: '/operators', opens: 'New operator' },
          },
    ),
    of('API key', [keys], () =>
      (keys.data ?? []).length > 0
        ? {
            isDone: true,
            text: `${andMore((keys.data ?? []).map(({ name }) => name))}.`,
            who: doerOf('apiKey'),
            action: { name: 'Open', to: '/keys' },
          }
        : {
            isDone: false,
            text: 'Gives one program access, with only the scopes it needs.',
            who: `${orAdministrator}, for your developer`,
            action: { name: 'Create key', to: '/keys', opens: 'New key' },
          },
    ),
    of('First webhook', [subscriptions], () => afterClinic(webhookStep(subscriptions.data ?? []))),
  ];
};
