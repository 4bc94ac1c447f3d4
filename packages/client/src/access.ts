import type { Call } from './call.ts';
import { type ChangeOptions, change, pathOf, read, remove, sendOnce } from './groups.ts';
import { List, type ListOptions } from './list.ts';
import type { ConnectionOptions, RequestOptions } from './options.ts';
import type {
  ApiKey,
  ApiKeyWithSecret,
  AuditEntry,
  AuditEntryFilter,
  ChallengeAnswer,
  Connection,
  CreateApiKey,
  CreateOperator,
  CreateProgramToken,
  CurrentApiKey,
  CurrentProgramToken,
  CurrentSession,
  InvitedOperator,
  Notice,
  NoticeSettings,
  Operator,
  PasswordChange,
  PasswordConfirmation,
  ProgramToken,
  ProgramTokenWithSecret,
  RotateApiKey,
  Session,
  UpdateApiKey,
  UpdateNoticeSettings,
  UpdateOperator,
} from './records.ts';
import type { Transport } from './transport.ts';

const API_KEYS = '/api/apikeys';
const OPERATORS = '/api/operators';
export const SESSIONS = '/api/sessions';
const CONNECTIONS = '/api/connections';
const CURRENT = `${SESSIONS}/current`;
const TOKENS = `${CURRENT}/tokens`;
const OWN_NOTICES = `${CURRENT}/notices`;

/**
 * The options of a sign-in: an address, and an e-mail address with a password. A sign-in needs no other credential. An
 * operator who has a second factor then signs in with `answer` instead.
 *
 * @example
 * const options: SignInOptions = { baseUrl: 'https://api.example.com', email: 'ada@example.com', password };
 */
export interface SignInOptions extends ConnectionOptions, Pick<RequestOptions, 'signal'> {
  /** The e-mail address of the operator. */
  email?: string;
  password?: string;
  /** The challenge of the error before, and a code or a recovery code. */
  answer?: ChallengeAnswer | undefined;
}

/**
 * API keys. These methods, except `current`, need the access token of an administrator.
 *
 * @example
 * const keys: ApiKeys = chairside.apiKeys;
 */
export class ApiKeys {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists all keys of the organization, without their secrets.
   *
   * @example
   * for await (const { name, lastUsedTime } of chairside.apiKeys.list()) console.log(name, lastUsedTime);
   */
  list(options?: RequestOptions): List<ApiKey> {
    return new List(this.#transport, { path: API_KEYS, isPaged: false }, options);
  }

  /**
   * Reads one key, without its secret.
   *
   * @example
   * const { scopes } = await chairside.apiKeys.get('key_1');
   */
  get(id: string, options?: RequestOptions): Call<ApiKey> {
    return read(this.#transport, options, () => pathOf(API_KEYS, id));
  }

  /**
   * Creates a key. A new key can have read scopes only. The session needs a password confirmation from the last ten
   * minutes. The request is sent again only if it certainly did not reach the service.
   *
   * @example
   * const { _id, secret } = await chairside.apiKeys.create({ name: 'Recall letters', scopes: ['patients:read'] });
   */
  create(fields: CreateApiKey, options?: RequestOptions): Call<ApiKeyWithSecret> {
    return sendOnce(this.#transport, options, 'POST', () => API_KEYS, fields);
  }

  /**
   * Reads what the key of this client may do, when it ends, and its `ref`, which is the `origin.ref` of the events that it
   * causes. Use it with a key as the credential.
   *
   * @example
   * const { ref, expiryTime } = await chairside.apiKeys.current();
   */
  current(options?: RequestOptions): Call<CurrentApiKey> {
    return read(this.#transport, options, () => pathOf(API_KEYS, 'current'));
  }

  /**
   * Gives a key a new secret. The secret until now works for `overlapHours`, at most 168. The session needs a password
   * confirmation from the last ten minutes. The request is sent again only if it certainly did not reach the service.
   *
   * @example
   * const { secret } = await chairside.apiKeys.rotate('key_1', { overlapHours: 24 });
   */
  rotate(id: string, rotation: RotateApiKey, options?: RequestOptions): Call<ApiKeyWithSecret> {
    return sendOnce(this.#transport, options, 'POST', () => pathOf(API_KEYS, id, '/rotate'), rotation);
  }

  /**
   * Changes a key. To let it do more, or for longer, the session needs a password confirmation from the last ten minutes: to
   * add scopes or clinics, raise the limit, or move its end further away.
   *
   * @example
   * await chairside.apiKeys.update('key_1', { scopes: ['patients:read', 'patients:write'] });
   */
  update(id: string, changes: UpdateApiKey, options?: ChangeOptions): Call<ApiKey> {
    return change(this.#transport, options, () => pathOf(API_KEYS, id), changes);
  }

  /**
   * Deletes a key. It stops working within a second.
   *
   * @returns the deleted key
   * @example
   * await chairside.apiKeys.delete('key_1');
   */
  delete(id: string, options?: ChangeOptions): Call<ApiKey> {
    return remove(this.#transport, options, () => pathOf(API_KEYS, id));
  }

  /**
   * Returns a key with its secret. It needs your own password.
   *
   * @example
   * const { secret } = await chairside.apiKeys.reveal('key_1', { password });
   */
  reveal(id: string, confirmation: PasswordConfirmation, options?: RequestOptions): Call<ApiKeyWithSecret> {
    return sendOnce(this.#transport, options, 'POST', () => pathOf(API_KEYS, id, '/reveal'), confirmation);
  }
}

/**
 * Operators: the people who sign in. These methods need the access token of an administrator. Changes also need
 * a password confirmation from the last ten minutes.
 *
 * @example
 * const operators: Operators = chairside.operators;
 */
export class Operators {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists all operators of the organization.
   *
   * @example
   * for await (const { email, role } of chairside.operators.list()) console.log(email, role);
   */
  list(options?: RequestOptions): List<Operator> {
    return new List(this.#transport, { path: OPERATORS, isPaged: false }, options);
  }

  /**
   * Reads one operator.
   *
   * @example
   * const { role } = await chairside.operators.get('op_1');
   */
  get(id: string, options?: RequestOptions): Call<Operator> {
    return read(this.#transport, options, () => pathOf(OPERATORS, id));
  }

  /**
   * Creates an operator. Without a password, the operator is invited: by mail, or with the `invitationUrl` of the response.
   * With a password, the operator must change it at the first sign-in. The request is sent again only if it certainly did not
   * reach the service.
   *
   * @example
   * const { invitationUrl } = await chairside.operators.create({ email: 'ada@example.com', role: 'staff' });
   */
  create(fields: CreateOperator, options?: RequestOptions): Call<InvitedOperator> {
    return sendOnce(this.#transport, options, 'POST', () => OPERATORS, fields);
  }

  /**
   * Makes a new link for an operator who was invited and has no password yet. The earlier link stops working.
   *
   * @example
   * const { invitation } = await chairside.operators.invite('ope_1');
   */
  invite(id: string, options?: RequestOptions): Call<InvitedOperator> {
    return sendOnce(this.#transport, options, 'POST', () => pathOf(OPERATORS, id, '/invitation'));
  }

  /**
   * Changes an operator. The operator's sessions end if the role or the password changes, or if the operator is
   * disabled.
   *
   * @example
   * await chairside.operators.update('ope_1', { active: false });
   */
  update(id: string, changes: UpdateOperator, options?: ChangeOptions): Call<Operator> {
    return change(this.#transport, options, () => pathOf(OPERATORS, id), changes);
  }

  /**
   * Deletes an operator and ends the operator's sessions.
   *
   * @returns the deleted operator
   * @example
   * await chairside.operators.delete('ope_1');
   */
  delete(id: string, options?: ChangeOptions): Call<Operator> {
    return remove(this.#transport, options, () => pathOf(OPERATORS, id));
  }

  /**
   * Lists the open sessions of an operator, the oldest first.
   *
   * @example
   * const sessions = await chairside.operators.sessions('ope_1').toArray();
   */
  sessions(id: string, options?: RequestOptions): List<Session> {
    return new List(this.#transport, { path: pathOf(OPERATORS, id, '/sessions'), isPaged: false }, options);
  }

  /**
   * Ends all sessions of an operator. Their access tokens stop working.
   *
   * @returns the sessions that were open
   * @example
   * const ended = await chairside.operators.endSessions('ope_1');
   */
  endSessions(id: string, options?: RequestOptions): Call<Session[]> {
    return remove(this.#transport, options, () => pathOf(OPERATORS, id, '/sessions'));
  }

  /**
   * Lists the mails of the last 30 days that have told operators what happened, the newest first.
   *
   * @example
   * for await (const { createdTime, operatorId, facts } of chairside.operators.notices())
   *   console.log(createdTime, operatorId, facts);
   */
  notices(options?: ListOptions): List<Notice> {
    return new List(this.#transport, { path: '/api/notices', isPaged: true }, options);
  }
}

/**
 * The connected apps of the organization, such as AI assistants. These methods need an administrator's access token. An
 * administrator connects an app from within the app.
 *
 * @example
 * const connections: Connections = chairside.connections;
 */
export class Connections {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists the connected apps.
   *
   * @example
   * for await (const { clientName, lastUsedTime } of chairside.connections.list()) console.log(clientName, lastUsedTime);
   */
  list(options?: ListOptions): List<Connection> {
    return new List(this.#transport, { path: CONNECTIONS, isPaged: true }, options);
  }

  /**
   * Disconnects an app. Its next call is refused.
   *
   * @returns the connection
   * @example
   * await chairside.connections.delete('con_1');
   */
  delete(id: string, options?: RequestOptions): Call<Connection> {
    return remove(this.#transport, options, () => pathOf(CONNECTIONS, id));
  }
}

/**
 * Your own sessions, and the access tokens for programs of your organization. {@link Chairside.signIn} begins a session.
 * These methods need its access token.
 *
 * @example
 * const sessions: Sessions = chairside.sessions;
 */
export class Sessions {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists your own open sessions, the oldest first. The rows contain no tokens.
   *
   * @example
   * for await (const { userAgent, lastUsedTime } of chairside.sessions.list()) console.log(userAgent, lastUsedTime);
   */
  list(options?: ListOptions): List<Session> {
    return new List(this.#transport, { path: SESSIONS, isPaged: true }, options);
  }

  /**
   * Ends one of your own sessions, or as an administrator any access token for a program. Its access token stops
   * working.
   *
   * @returns what has ended
   * @example
   * await chairside.sessions.delete('ses_1');
   */
  delete(id: string, options?: RequestOptions): Call<Session | ProgramToken> {
    return remove(this.#transport, options, () => pathOf(SESSIONS, id));
  }

  /**
   * Lists the access tokens for programs of the organization, the oldest first. The rows contain no tokens. It needs an
   * administrator.
   *
   * @example
   * for await (const { name, expiryTime } of chairside.sessions.tokens()) console.log(name, expiryTime);
   */
  tokens(options?: RequestOptions): List<ProgramToken> {
    return new List(this.#transport, { path: TOKENS, isPaged: false }, options);
  }

  /**
   * Creates an access token for a program. It needs an administrator, and a password confirmation from the last ten
   * minutes. The request is sent again only if it certainly did not reach the service.
   *
   * @example
   * const { token } = await chairside.sessions.createToken({ name: 'Onboarding', access: 'webhooks' });
   */
  createToken(fields: CreateProgramToken, options?: RequestOptions): Call<ProgramTokenWithSecret> {
    return sendOnce(this.#transport, options, 'POST', () => TOKENS, fields);
  }

  /**
   * Reads the session of the access token of an operator, with the name of the organization.
   *
   * @example
   * const { role, expiryTime } = await chairside.sessions.current();
   */
  current(options?: RequestOptions): Call<CurrentSession> {
    return read(this.#transport, options, () => CURRENT);
  }

  /**
   * Reads the program token of this client: its clinics, its end, and its `ref`, which is the `origin.ref` of the events that it
   * causes.
   *
   * @example
   * const { expiryTime, clinicIds } = await chairside.sessions.currentToken();
   */
  currentToken(options?: RequestOptions): Call<CurrentProgramToken> {
    return read(this.#transport, options, () => CURRENT);
  }

  /**
   * Confirms your password. For the next ten minutes, the session can call the methods that need a confirmation.
   *
   * @example
   * await chairside.sessions.confirm({ password });
   */
  confirm(confirmation: PasswordConfirmation, options?: RequestOptions): Call<Session> {
    return sendOnce(this.#transport, options, 'POST', () => `${CURRENT}/confirm`, confirmation);
  }

  /**
   * Changes your own password, and ends your other sessions.
   *
   * @example
   * await chairside.sessions.changePassword({ password, newPassword: 'staple of the horse' });
   */
  changePassword(passwords: PasswordChange, options?: RequestOptions): Call<Session> {
    return sendOnce(this.#transport, options, 'PUT', () => `${CURRENT}/password`, passwords);
  }

  /**
   * Reads which notices you get by mail. Only administrators get them.
   *
   * @example
   * const { subscriptionDisabled } = await chairside.sessions.notices();
   */
  notices(options?: RequestOptions): Call<NoticeSettings> {
    return read(this.#transport, options, () => OWN_NOTICES);
  }

  /**
   * Switches notices on or off, for you alone.
   *
   * @example
   * await chairside.sessions.changeNotices({ subscriptionRecovered: false });
   */
  changeNotices(changes: UpdateNoticeSettings, options?: RequestOptions): Call<NoticeSettings> {
    return change(this.#transport, options, () => OWN_NOTICES, changes);
  }

  /**
   * Ends the session. Its access token stops working.
   *
   * @returns the session
   * @example
   * await chairside.sessions.signOut();
   */
  signOut(options?: RequestOptions): Call<Session> {
    return remove(this.#transport, options, () => CURRENT);
  }
}

/**
 * The audit trail. Reading it needs the access token of an administrator.
 *
 * @example
 * const entries: AuditEntries = chairside.auditEntries;
 */
export class AuditEntries {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists audit entries, the newest first.
   *
   * @example
   * const entries = chairside.auditEntries.list({ kind: 'patient', recordId: 'pat_1' });
   * for await (const { time, action, principal } of entries) console.log(time, action, principal);
   */
  list(filter?: AuditEntryFilter, options?: ListOptions): List<AuditEntry> {
    return new List(this.#transport, { path: '/api/auditentries', query: filter, isPaged: true }, options);
  }
}
