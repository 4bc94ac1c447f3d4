import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  CONFIRMATION_LIFE_MS,
  CONNECTION_SCOPE,
  type CurrentSession,
  clock,
  conflict,
  MAX_CONNECTIONS,
  Refusal,
} from '@chairside/domain';
import type { GrantingOperator } from '@chairside/mongodb/oauth';
import { errors, type InteractionResults, type Provider } from 'oidc-provider';
import { NEW_GRANT_LIFE_MS } from './adapter.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { type Redirect, redirectOf } from './redirects.ts';
import { stored } from './unavailable.ts';

type Interaction = InstanceType<Provider['Interaction']>;

/**
 * The operator to whom the request was shown, and the app and host that were shown. Only this operator may decide, and
 * only while the app and its host are the same.
 */
type Shown = { operatorId: string; app: string; host: string };

/** An app's request that waits for the decision of an operator. */
export type Pending = {
  interaction: Interaction;
  clientId: string;
  /** The name that the app gives itself, or its client id. */
  app: string;
  redirect: Redirect;
  /** Undefined before a signed-in operator has seen the request. */
  shown: Shown | undefined;
};

/** The operator who decides, and the request that contains the decision. */
export type Deciding = {
  session: CurrentSession;
  operator: GrantingOperator | undefined;
  address: string;
  requestId: string;
};

const expired = (): Refusal =>
  new Refusal(
    'NotFound',
    'This request has expired, was answered, or began in another browser. Start again in the app.',
  );

/** Finds a client. A client whose document no longer exists or is invalid counts as unknown. */
const findClient = (provider: Provider, clientId: string) =>
  provider.Client.find(clientId).catch((error: unknown) => {
    if (error instanceof errors.InvalidClient || error instanceof errors.InvalidClientMetadata)
      return undefined;
    throw error;
  });

/**
 * Finds the request of an app by the browser's cookie.
 *
 * @param uid the id in the address of the page
 * @throws {Refusal} NotFound if there is no such request, if its id is not `uid`, if its app is unknown, or if it was
 *   already decided
 */
export const findInteraction = async (
  { provider }: AuthorizationServer,
  request: IncomingMessage,
  response: ServerResponse,
  uid: string,
): Promise<Pending> => {
  const interaction = await provider.interactionDetails(request, response).catch((error: unknown) => {
    if (error instanceof errors.SessionNotFound) throw expired();
    throw error;
  });
  const { client_id: clientId, redirect_uri: uri } = interaction.params as Record<string, string>;
  const client = clientId === undefined ? undefined : await findClient(provider, clientId);
  const { result } = interaction as { result?: { shown?: Shown; login?: unknown; error?: unknown } };
  // A stored decision must not be replaced.
  if (result?.login !== undefined || result?.error !== undefined) throw expired();
  if (interaction.uid !== uid || client === undefined || clientId === undefined || uri === undefined)
    throw expired();
  return {
    interaction,
    clientId,
    app: client.clientName ?? clientId,
    redirect: redirectOf(uri),
    shown: result?.shown,
  };
};

/**
 * Shows the request to an operator. Afterwards, only this operator can decide.
 *
 * @returns the details for the page
 * @throws {Refusal} Forbidden if it was shown to another operator before
 */
export const showTo = async (
  { store }: AuthorizationServer,
  { interaction, clientId, app, redirect: { host, kind }, shown }: Pending,
  operatorId: string,
): Promise<object> => {
  if (shown === undefined) {
    interaction.result = { shown: { operatorId, app, host } satisfies Shown } as InteractionResults;
    await interaction.persist();
  } else checkOperator(shown, operatorId);
  const operator = await stored(store.grants.findOperator(operatorId));
  const asked = operator && (await stored(store.grants.askedBy(clientId, operator.organizationId)));
  return {
    app,
    redirectHost: host,
    redirectKind: kind,
    organization: operator?.organizationName,
    asked: asked ?? [],
  };
};

const checkOperator = (shown: Shown | undefined, operatorId: string): void => {
  if (shown === undefined) throw expired();
  if (shown.operatorId === operatorId) return;
  throw new Refusal('Forbidden', 'This request was opened by another operator. Start again in the app.');
};

/** @throws {Refusal} unless the request was shown to this operator with the current app name and host */
const checkDecision = ({ shown, app, redirect }: Pending, { operatorId }: CurrentSession): void => {
  checkOperator(shown, operatorId);
  if (shown?.app === app && shown.host === redirect.host) return;
  throw conflict('app_changed', 'The app has changed its name or address. Start again in the app.');
};

/** @throws {Refusal} unless the operator is an administrator with a recent password confirmation, and with a factor if one is required */
const checkRight = ({ role, confirmedTime, factorRequired }: CurrentSession): void => {
  if (role !== 'administrator')
    throw new Refusal('Forbidden', 'Only an administrator can connect an app.', {
      details: { requiredRole: 'administrator' },
    });
  if (factorRequired)
    throw new Refusal(
      'Forbidden',
      'Your organization requires a second factor. Add one under Account first.',
      {
        details: { requiredFactor: true },
      },
    );
  if (clock.now().getTime() - Date.parse(confirmedTime) > CONFIRMATION_LIFE_MS)
    throw new Refusal('Forbidden', 'Confirm your password, then repeat the request.', {
      details: { requiredConfirmation: 'password' },
    });
};

const tooManyConnections = (): Refusal =>
  conflict(
    'too_many_connections',
    `Your organization already has ${MAX_CONNECTIONS} connected apps, the maximum. Disconnect an app under "Connected apps", then allow this one.`,
  );

const principalOf = ({ operatorId }: CurrentSession) => ({ kind: 'operator', id: operatorId }) as const;

/** The fields of an audit entry that identify the app. */
const changesOf = ({ app, clientId, redirect }: Pending) => [
  { field: 'app', value: app },
  { field: 'clientId', value: clientId },
  { field: 'redirectHost', value: redirect.host },
];

const audit = (
  { store }: AuthorizationServer,
  organizationId: string,
  action: 'granted' | 'denied',
  ids: string[],
  pending: Pending,
  { session, address, requestId }: Deciding,
): Promise<void> =>
  stored(
    store.trail.add(organizationId, {
      action,
      kind: 'connection',
      ids,
      changes: changesOf(pending),
      principal: principalOf(session),
      address,
      requestId,
      result: 'ok',
    }),
  );

/**
 * Makes a decision about a request of an app. Of several concurrent decisions, one is made. If it fails, another one
 * can be made.
 *
 * @throws {Refusal} NotFound if another decision was made or is being made
 */
const decideOnce = async <T>(
  { store: { state } }: AuthorizationServer,
  { interaction: { jti } }: Pending,
  decide: () => Promise<T>,
): Promise<T> => {
  if (!(await stored(state.consume('Interaction', jti, clock.now())))) throw expired();
  try {
    return await decide();
  } catch (error) {
    await state.release('Interaction', jti).catch(() => {});
    throw error;
  }
};

/**
 * Grants the app's request. The decision is stored last, and the grant cannot be used before that.
 *
 * @returns the address that redirects the browser back to the app
 * @throws {Refusal} if this operator may not grant the request, or if it is already decided; Conflict if the
 *   organization has the maximum number of connected apps. The request can then be granted after an app was
 *   disconnected
 */
export const allow = async (
  oauth: AuthorizationServer,
  pending: Pending,
  by: Deciding,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string> => {
  const { provider, store, mcpUrl } = oauth;
  const { interaction, clientId, app, redirect } = pending;
  const { session, operator } = by;
  checkDecision(pending, session);
  checkRight(session);
  if (operator === undefined) throw expired();
  return decideOnce(oauth, pending, async () => {
    const { operatorId } = session;
    const grant = new provider.Grant({ accountId: operatorId, clientId });
    const resources = [interaction.params.resource ?? mcpUrl].flat() as string[];
    for (const resource of resources) grant.addResourceScope(resource, CONNECTION_SCOPE);
    const grantId = await grant.save();
    const createdTime = clock.now();
    const connection = {
      _id: grantId,
      organizationId: operator.organizationId,
      operatorId,
      accessRevision: operator.accessRevision,
      clientId,
      clientName: app,
      redirectHost: redirect.host,
      createdTime,
      expireAt: new Date(createdTime.getTime() + NEW_GRANT_LIFE_MS),
    };
    if (!(await stored(store.grants.create(connection, createdTime)))) {
      await stored(store.grants.end(grantId));
      throw tooManyConnections();
    }
    await audit(oauth, operator.organizationId, 'granted', [grantId], pending, by);
    const result = { login: { accountId: operatorId, remember: false }, consent: { grantId } };
    return provider.interactionResult(request, response, result, { mergeWithLastSubmission: false });
  });
};

/**
 * Denies the app's request. The operator to whom it was shown may deny it with any role.
 *
 * @returns the address that redirects the browser back to the app
 * @throws {Refusal} if the request was not shown to this operator, has changed, or is already decided
 */
export const deny = async (
  oauth: AuthorizationServer,
  pending: Pending,
  by: Deciding,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string> => {
  checkDecision(pending, by.session);
  const { operator } = by;
  return decideOnce(oauth, pending, async () => {
    if (operator !== undefined) await audit(oauth, operator.organizationId, 'denied', [], pending, by);
    const result = { error: 'access_denied', error_description: 'The request was denied.' };
    return oauth.provider.interactionResult(request, response, result, { mergeWithLastSubmission: false });
  });
};
