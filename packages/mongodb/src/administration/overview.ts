import {
  type ApiKey,
  type Clinic,
  type Delivery,
  type FailureCause,
  isFinalOutcome,
  type Operator,
  type ProgramToken,
  type Subscription,
} from '@chairside/domain';
import type { Document, Filter } from 'mongodb';
import { type ApiKeyDocument, toApiKey, withoutSecret } from '../access/api-keys.ts';
import { type OperatorDocument, toOperator } from '../access/operator-document.ts';
import type { OrganizationDocument } from '../access/organization-document.ts';
import { type ProgramTokenDocument, toProgramToken } from '../access/program-tokens.ts';
import { type DeliveryDocument, isFinal } from '../deliveries/deliveries.ts';
import { conditionsOf, type DeliveryFilter, toDelivery } from '../deliveries/delivery-pages.ts';
import type { Collection } from '../driver/database.ts';
import { findUnique } from '../driver/ferretdb.ts';
import type { TimePosition } from '../driver/time-order.ts';
import { type Ciphers, noCipher } from '../encryption/ciphers.ts';
import { type RecordDocument, shapes, toRecord } from '../records/record-shapes.ts';
import { type ChainMember, chainIdOf, isPending, successorOf } from '../subscriptions/chains.ts';
import type { SubscriptionDocument } from '../subscriptions/subscriptions.ts';

/** The number of rows in one read. No cursor stays open between reads. */
const PAGE = 500;
/**
 * The number of deliveries in each read after the first page. It is large, because FerretDB sorts all results again for
 * each page.
 */
const LATER_PAGE = 5000;
/**
 * Maximum number of subscriptions in one query for deliveries. MongoDB merges this many index ranges without sorting.
 */
const SUBSCRIPTIONS_AT_ONCE = 100;

type OfOrganization = { organizationId: string };

export type ListedOrganization = { _id: string; name: string; createdTime: string };
export type ListedClinic = OfOrganization & Clinic;
export type ListedOperator = OfOrganization & Operator;
/** A key without its secret, and without its name, which customers choose. */
export type ListedApiKey = OfOrganization & Omit<ApiKey, 'name'>;
/** A program token without its secret, and without its name, which customers choose. */
export type ListedProgramToken = OfOrganization & Omit<ProgramToken, 'name'>;
/**
 * A subscription without its secret and the values of its fixed headers, and without the path and the query of its URL, because customers may put tokens
 * there.
 */
export type ListedSubscription = OfOrganization &
  Omit<
    Subscription,
    'url' | 'headers' | 'state' | 'nextAttemptTime' | 'lastDeliveryTime' | 'lastStatusCode'
  > & {
    /** Scheme, host and port of the URL. */
    receiver: string;
    headerNames?: string[];
    lastCauses?: FailureCause[];
  };
/**
 * A delivery without the receiver's response. The response can contain patient data if the receiver echoes the webhook.
 */
export type ListedDelivery = OfOrganization & Omit<Delivery, 'responseBody' | 'responseHeaders' | 'url'>;

/**
 * Reads data of all organizations for operators of the service, without patient data, secrets and responses of
 * receivers.
 */
export type Overview = {
  /** Streams all organizations, ordered by id. Unless stated otherwise, the other methods also order by id. */
  organizations(): AsyncGenerator<ListedOrganization, void>;
  clinics(filter: Partial<OfOrganization>): AsyncGenerator<ListedClinic, void>;
  operators(filter: Partial<OfOrganization>): AsyncGenerator<ListedOperator, void>;
  apiKeys(filter: Partial<OfOrganization>): AsyncGenerator<ListedApiKey, void>;
  /** Tokens that have ended are listed until the sweep deletes them. */
  programTokens(filter: Partial<OfOrganization>): AsyncGenerator<ListedProgramToken, void>;
  /** The organization of a key, program token or operator (by id or e-mail address), and its id; undefined if there is none. */
  ownerOf(
    kind: 'apiKey' | 'programToken' | 'operator',
    name: string,
  ): Promise<(OfOrganization & { _id: string }) | undefined>;
  subscriptions(
    filter: Partial<OfOrganization> & { clinicId?: string; active?: boolean },
  ): AsyncGenerator<ListedSubscription, void>;
  findSubscription(id: string): Promise<ListedSubscription | undefined>;
  /** Streams the deliveries of these subscriptions of one organization, the newest first. */
  deliveries(
    organizationId: string,
    subscriptionIds: readonly string[],
    filter: Pick<DeliveryFilter, 'outcome' | 'since' | 'until'>,
  ): AsyncGenerator<ListedDelivery, void>;
  findDelivery(id: string): Promise<ListedDelivery | undefined>;
};

/** Streams the results of a query in the order of their ids, in pages. */
async function* pagesById<D extends { _id: string }>(
  collection: Collection<D>,
  filter: Document,
  projection: Document,
): AsyncGenerator<D[], void> {
  let last = '';
  for (;;) {
    const page = (await collection
      .find({ ...filter, _id: { $gt: last } } as Filter<D>, { projection, sort: { _id: 1 }, limit: PAGE })
      .toArray()) as D[];
    if (page.length > 0) yield page;
    const end = page.at(-1);
    if (end === undefined || page.length < PAGE) return;
    last = end._id;
  }
}

/** Streams the results of a query in the order of their ids. */
async function* byId<D extends { _id: string }>(
  ...query: Parameters<typeof pagesById<D>>
): AsyncGenerator<D, void> {
  for await (const page of pagesById<D>(...query)) yield* page;
}

async function* mapped<D, R>(
  rows: AsyncIterable<D>,
  toRow: (document: D) => R | Promise<R>,
): AsyncGenerator<R, void> {
  for await (const document of rows) yield await toRow(document);
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'not a valid URL');

const toListedSubscription = (
  document: SubscriptionDocument,
  members: readonly ChainMember[],
): ListedSubscription => {
  const { _id, organizationId, clinicId, events, payload, active, consecutiveFailures } = document;
  const { headerNames, lastCauses, disabledReason, chain, url } = document;
  const { createdTime, lastEditTime, disabledTime } = document;
  const successor = successorOf(document, members);
  return {
    ...{ _id, organizationId, clinicId, events, payload },
    ...(headerNames && { headerNames }),
    ...{ active, consecutiveFailures },
    ...(lastCauses && { lastCauses }),
    ...(disabledReason !== undefined && { disabledReason }),
    receiver: originOf(url),
    ...(isPending(document) && { replaces: chain?.replaces }),
    ...(successor && { replacedBy: successor._id }),
    createdTime: createdTime.toISOString(),
    lastEditTime: lastEditTime.toISOString(),
    ...(disabledTime && { disabledTime: disabledTime.toISOString() }),
  };
};

const toListedDelivery = (document: DeliveryDocument): ListedDelivery => {
  const { responseBody, responseHeaders, url, ...delivery } = toDelivery(document, noCipher);
  return { organizationId: document.organizationId, ...delivery };
};

/** With this projection, the secrets are not even read from the database. */
const WITHOUT_SECRET = { secret: 0, headers: 0 } as const;
const WITHOUT_RESPONSE = { sealed: 0, token: 0 } as const;

const newestFirst = (one: DeliveryDocument, other: DeliveryDocument): number =>
  other.createdTime.getTime() - one.createdTime.getTime() || (one._id < other._id ? 1 : -1);

export type OverviewCollections = {
  clinics: Collection<RecordDocument & { externalId?: unknown }>;
  organizations: Collection<OrganizationDocument>;
  operators: Collection<OperatorDocument>;
  apiKeys: Collection<ApiKeyDocument>;
  programTokens: Collection<ProgramTokenDocument>;
  subscriptions: Collection<SubscriptionDocument>;
  deliveries: Collection<DeliveryDocument>;
};

export const openOverview = (
  {
    clinics,
    organizations,
    operators,
    apiKeys,
    programTokens,
    subscriptions,
    deliveries,
  }: OverviewCollections,
  ciphers: Pick<Ciphers, 'of'>,
): Overview => {
  const toClinic = async (document: RecordDocument & { externalId?: unknown }): Promise<ListedClinic> => {
    const { organizationId } = document;
    // Most clinics have no external id, and are listed without the keys of their organization.
    const cipher = document.externalId === undefined ? noCipher : await ciphers.of(organizationId);
    const clinic = await cipher.opening(() => toRecord<Clinic>(shapes.clinic, document, cipher));
    return { organizationId, ...clinic };
  };
  /** Reads the newest deliveries before a position, for any number of subscriptions. */
  const deliveryPage = async (
    organizationId: string,
    subscriptionIds: readonly string[],
    filter: DeliveryFilter,
    before: TimePosition | undefined,
    limit: number,
  ): Promise<DeliveryDocument[]> => {
    let page: DeliveryDocument[] = [];
    for (let begin = 0; begin < subscriptionIds.length; begin += SUBSCRIPTIONS_AT_ONCE) {
      const group = subscriptionIds.slice(begin, begin + SUBSCRIPTIONS_AT_ONCE);
      const found = await deliveries
        .find(
          {
            organizationId,
            subscriptionId: { $in: group },
            ...conditionsOf(filter, { before }),
            // The lists of the api examine a bounded number of deliveries; this one needs the index of the outcomes.
            ...(filter.outcome && isFinalOutcome(filter.outcome) && isFinal),
          },
          { projection: WITHOUT_RESPONSE, sort: { createdTime: -1, _id: -1 }, limit },
        )
        .toArray();
      page = [...page, ...found].sort(newestFirst).slice(0, limit);
    }
    return page;
  };

  /** Reads the subscriptions that have replaced these, or are to replace them. */
  const replacementsOf = (page: readonly SubscriptionDocument[]): Promise<ChainMember[]> =>
    subscriptions
      .find<ChainMember>(
        {
          organizationId: { $in: [...new Set(page.map(({ organizationId }) => organizationId))] },
          'chain._id': { $in: [...new Set(page.map(chainIdOf))] },
        },
        { projection: { chain: 1 } },
      )
      .toArray();

  return {
    organizations: () =>
      mapped(byId(organizations, {}, {}), ({ _id, name, createdTime }) => ({
        _id,
        name,
        createdTime: createdTime.toISOString(),
      })),

    clinics: (filter) => mapped(byId(clinics, { ...filter, deletedAt: { $exists: false } }, {}), toClinic),

    operators: (filter) =>
      mapped(byId(operators, filter, { passwordHash: 0, networks: 0 }), (document) => ({
        organizationId: document.organizationId,
        ...toOperator(document),
      })),

    apiKeys: (filter) =>
      mapped(byId(apiKeys, filter, withoutSecret), (document) => {
        const { name, ...listed } = toApiKey(document);
        return { organizationId: document.organizationId, ...listed };
      }),

    programTokens: (filter) =>
      mapped(byId(programTokens, filter, { tokenHash: 0, networks: 0 }), (document) => {
        const { name, ...listed } = toProgramToken(document);
        return { organizationId: document.organizationId, ...listed };
      }),

    ownerOf(kind, name) {
      const fields = { organizationId: 1 } as const;
      if (kind === 'apiKey') return findUnique(apiKeys, { _id: name }, fields);
      if (kind === 'programToken') return findUnique(programTokens, { _id: name }, fields);
      const one = name.includes('@') ? { emailLowerCase: name.toLowerCase() } : { _id: name };
      return findUnique(operators, one, fields);
    },

    async *subscriptions(filter) {
      for await (const page of pagesById(subscriptions, filter, WITHOUT_SECRET)) {
        const chains = Map.groupBy(await replacementsOf(page), chainIdOf);
        for (const each of page) yield toListedSubscription(each, chains.get(chainIdOf(each)) ?? []);
      }
    },

    async findSubscription(id) {
      const found = await findUnique(subscriptions, { _id: id }, WITHOUT_SECRET);
      return found && toListedSubscription(found, await replacementsOf([found]));
    },

    async *deliveries(organizationId, subscriptionIds, filter) {
      let before: TimePosition | undefined;
      for (;;) {
        const limit = before === undefined ? PAGE : LATER_PAGE;
        const page = await deliveryPage(organizationId, subscriptionIds, filter, before, limit);
        yield* page.map(toListedDelivery);
        const end = page.at(-1);
        if (end === undefined || page.length < limit) return;
        before = { time: end.createdTime, _id: end._id };
      }
    },

    async findDelivery(id) {
      const found = await findUnique(deliveries, { _id: id }, WITHOUT_RESPONSE);
      return found && toListedDelivery(found);
    },
  };
};
