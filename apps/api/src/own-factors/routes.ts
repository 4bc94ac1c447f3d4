import {
  addedPasskeySchema,
  clock,
  codeCompletionSchema,
  conflict,
  type Factors,
  factorsSchema,
  MAX_PASSKEYS,
  newCodeSchema,
  noFieldsSchema,
  notFound,
  passkeyCompletionSchema,
  passkeyOptionsSchema,
  passkeySchema,
  passkeyUpdateSchema,
  recoveryCodesSchema,
  type SecurityKind,
  validationError,
} from '@chairside/domain';
import { type Challenges, isFactorRequired } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import { withAuditEntry } from '../audit/security-actions.ts';
import type { App, Dependencies } from '../context.ts';
import { newCodeSecret, stepOf, uriOf } from '../factors/codes.ts';
import { type Passkeys, requirePasskeys } from '../factors/passkeys.ts';
import { newRecoveryCodes, normalized } from '../factors/recovery-codes.ts';
import { operatorOf } from '../http/operator.ts';
import { pathId } from '../http/path-id.ts';

const tags = ['Factors'];
const path = '/api/sessions/current/factors';
const onePasskey = `${path}/passkeys/:passkeyId`;
const params = pathId('passkeyId');
const reading = { access: { role: 'staff', beforeFactor: true } } as const;
const changing = { access: { role: 'staff', beforeFactor: true, confirmed: 'factors' } } as const;

const wrongCode = () =>
  validationError([
    { path: 'code', message: 'is not the code that the app shows now; check the clock of the phone' },
  ]);
const wrongPasskey = () =>
  validationError([
    { path: 'credential', message: 'was not created for the last options, or too long ago; begin again' },
  ]);

/** Runs a change of the caller's factors with its audit entry. */
const audited = <T>(
  request: FastifyRequest,
  action: 'factor_added' | 'factor_removed' | 'updated',
  factor: string,
  act: () => Promise<T>,
): Promise<T> => {
  const kind: SecurityKind = 'operator';
  const changes = [{ field: 'factor', value: factor }];
  return withAuditEntry(request, { action, kind, ids: [request.principal.id], changes }, act);
};

/** The recovery codes as they are stored, and as the person sees them. */
const makeRecoveryCodes = () => {
  const shown = newRecoveryCodes();
  return { shown, stored: shown.map(normalized) };
};

/** What the caller is asked besides the password. */
const factorsOf = async (request: FastifyRequest, passkeys: Passkeys): Promise<Factors> => {
  const { id, role } = operatorOf(request);
  const [found, requirement] = await Promise.all([
    request.store.factors.find(id),
    request.store.factorRequirement.get(),
  ]);
  if (found === undefined) throw notFound();
  return {
    ...found,
    required: isFactorRequired(requirement, { role }),
    ...(passkeys.off && { passkeysOff: passkeys.off }),
  };
};

/** Registers the routes of the app for codes. */
const codeRoutes = (app: App, passkeys: Passkeys): void => {
  app.post(
    `${path}/codes`,
    {
      config: changing,
      schema: {
        tags,
        operationId: 'beginCodes',
        summary: 'Begin to add an app for codes',
        description:
          'Returns the secret for an app that shows one-time codes (RFC 6238). It has no effect until `POST /api/sessions/current/factors/codes/complete`, within ten minutes. Returns 409 if you have an app: remove it first.',
        refusals: [409],
        body: noFieldsSchema,
        response: { 200: newCodeSchema },
      },
    },
    async (request) => {
      const { id } = operatorOf(request);
      const { factors, operators } = request.store;
      const operator = await operators.find(id);
      if (operator === undefined) throw notFound();
      const secret = newCodeSecret();
      if (!(await factors.beginCode(id, secret, clock.now())))
        throw conflict('factor_exists', 'You have an app for codes. Remove it first.');
      return { secret, uri: uriOf(secret, operator.email) };
    },
  );

  app.post(
    `${path}/codes/complete`,
    {
      config: changing,
      schema: {
        tags,
        operationId: 'completeCodes',
        summary: 'Add an app for codes',
        description:
          'Adds the app with the first code that it shows. From now on, you are asked for a code. With the first factor, the response has ten recovery codes.',
        refusals: [409],
        body: codeCompletionSchema,
        response: { 200: recoveryCodesSchema },
      },
    },
    async (request) => {
      const { id } = operatorOf(request);
      const { factors } = request.store;
      const now = clock.now();
      const secret = await factors.newCodeSecret(id, now);
      if (secret === undefined) throw conflict('no_factor', 'No app is being added. Begin again.');
      const step = stepOf(secret, request.body.code, now);
      if (step === undefined) throw wrongCode();
      return audited(request, 'factor_added', 'code', async () => {
        const { shown, stored } = makeRecoveryCodes();
        const added = await factors.addCode(id, secret, step, stored, now);
        if (added === undefined) throw conflict('factor_exists', 'Another app was added meanwhile.');
        return added.isFirst ? { recoveryCodes: shown } : {};
      });
    },
  );

  app.delete(
    `${path}/codes`,
    {
      config: changing,
      schema: {
        tags,
        operationId: 'removeCodes',
        summary: 'Remove your app for codes',
        description:
          'Removes the app, and the recovery codes if it was the last factor. Returns what is left.',
        refusals: [404],
        response: { 200: factorsSchema },
      },
    },
    (request) =>
      audited(request, 'factor_removed', 'code', async () => {
        if (!(await request.store.factors.removeCode(operatorOf(request).id, clock.now()))) throw notFound();
        return factorsOf(request, passkeys);
      }),
  );
};

/** Registers the routes of passkeys. */
const passkeyRoutes = (app: App, passkeys: Passkeys, challenges: Challenges): void => {
  app.post(
    `${path}/passkeys`,
    {
      config: changing,
      schema: {
        tags,
        operationId: 'beginPasskey',
        summary: 'Begin to add a passkey',
        description: `Returns what a browser needs to create a passkey: \`options\` is the argument of \`PublicKeyCredential.parseCreationOptionsFromJSON\`. It has no effect until \`POST /api/sessions/current/factors/passkeys/complete\`, within five minutes. An operator can have ${MAX_PASSKEYS} passkeys. Returns 409 if passkeys cannot be used.`,
        refusals: [409],
        body: noFieldsSchema,
        response: { 200: passkeyOptionsSchema },
      },
    },
    async (request) => {
      requirePasskeys(passkeys);
      const { id: operatorId, organizationId } = operatorOf(request);
      const { factors, operators } = request.store;
      const [operator, existing] = await Promise.all([
        operators.find(operatorId),
        factors.credentialIds(operatorId),
      ]);
      if (operator === undefined) throw notFound();
      // The revision is not compared: the session is, at the end.
      const asked = { organizationId, operatorId, accessRevision: 0 };
      const challenge = await challenges.create('enrolment', asked, clock.now());
      return { options: await passkeys.creationOptions(challenge, operator, existing) };
    },
  );

  app.post(
    `${path}/passkeys/complete`,
    {
      config: changing,
      schema: {
        tags,
        operationId: 'completePasskey',
        summary: 'Add a passkey',
        description:
          'Adds the passkey that a browser has created. From now on, you are asked for it, or sign in with it alone. With the first factor, the response has ten recovery codes.',
        body: passkeyCompletionSchema,
        response: { 200: addedPasskeySchema },
      },
    },
    async (request) => {
      requirePasskeys(passkeys);
      const { id } = operatorOf(request);
      const { name, credential } = request.body;
      const challenge = passkeys.challengeOf(credential) ?? '';
      const taken = await challenges.take(challenge, ['enrolment'], clock.now());
      const key = taken?.asked?.operatorId === id && (await passkeys.verifyNew(credential, challenge));
      if (!key) throw wrongPasskey();
      return audited(request, 'factor_added', 'passkey', async () => {
        const { shown, stored } = makeRecoveryCodes();
        const added = await request.store.factors.addPasskey(id, key, name, stored, clock.now());
        if (added === 'limitReached') {
          const message = `you already have ${MAX_PASSKEYS} passkeys, the maximum; remove one first`;
          throw validationError([{ path: '', message, code: 'limit_reached' }]);
        }
        return { ...added.passkey, ...(added.isFirst && { recoveryCodes: shown }) };
      });
    },
  );

  app.put(
    onePasskey,
    {
      config: { access: { role: 'staff' } },
      schema: {
        tags,
        operationId: 'renamePasskey',
        summary: 'Rename a passkey',
        description: 'Renames one of your passkeys.',
        params,
        body: passkeyUpdateSchema,
        response: { 200: passkeySchema },
      },
    },
    (request) =>
      audited(request, 'updated', 'passkey', async () => {
        const { id } = operatorOf(request);
        const { passkeyId } = request.params;
        const renamed = await request.store.factors.renamePasskey(id, passkeyId, request.body.name);
        if (renamed === undefined) throw notFound();
        return renamed;
      }),
  );

  app.delete(
    onePasskey,
    {
      config: changing,
      schema: {
        tags,
        operationId: 'removePasskey',
        summary: 'Remove a passkey',
        description:
          'Removes one of your passkeys and returns it. With the last factor, the recovery codes are removed, too.',
        params,
        response: { 200: passkeySchema },
      },
    },
    (request) =>
      audited(request, 'factor_removed', 'passkey', async () => {
        const { id } = operatorOf(request);
        const removed = await request.store.factors.removePasskey(id, request.params.passkeyId, clock.now());
        if (removed === undefined) throw notFound();
        return removed;
      }),
  );
};

/** Registers the routes of what the caller is asked besides the password. */
export const factorRoutes = (
  app: App,
  { store, passkeys }: Pick<Dependencies, 'store'> & { passkeys: Passkeys },
): void => {
  codeRoutes(app, passkeys);
  passkeyRoutes(app, passkeys, store.everyOrganization.challenges);

  app.get(
    path,
    {
      config: reading,
      schema: {
        tags,
        operationId: 'getFactors',
        summary: 'Get your factors',
        description: 'Returns what you are asked besides the password, without secrets.',
        refusals: [404],
        response: { 200: factorsSchema },
      },
    },
    (request) => factorsOf(request, passkeys),
  );

  app.post(
    `${path}/recoverycodes`,
    {
      config: changing,
      schema: {
        tags,
        operationId: 'replaceRecoveryCodes',
        summary: 'Make new recovery codes',
        description:
          'Returns ten new recovery codes. The earlier ones stop working. Returns 409 without a factor.',
        refusals: [409],
        body: noFieldsSchema,
        response: { 200: recoveryCodesSchema },
      },
    },
    (request) =>
      audited(request, 'updated', 'recoveryCode', async () => {
        const { shown, stored } = makeRecoveryCodes();
        if (!(await request.store.factors.replaceRecoveryCodes(operatorOf(request).id, stored, clock.now())))
          throw conflict('no_factor', 'Recovery codes stand in for a factor. Add a passkey or an app first.');
        return { recoveryCodes: shown };
      }),
  );
};
