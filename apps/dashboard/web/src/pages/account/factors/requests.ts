import type { AddedPasskey, Factors, NewCode, PasskeyRegistration, RecoveryCodes } from '@chairside/client';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';

const FACTORS = '/api/sessions/current/factors';
const CODES = `${FACTORS}/codes`;
const PASSKEYS = `${FACTORS}/passkeys`;
const pathOf = (passkeyId: string): string => `${PASSKEYS}/${encodeURIComponent(passkeyId)}`;

/** What the operator of the session is asked besides the password. */
export const factorsQuery = queryOptions({
  queryKey: ['factors'],
  queryFn: ({ signal }): Promise<Factors> => api.request('GET', FACTORS, { signal }),
});

/** Reads again what a new factor changes: the factors, and the session, which says whether one is missing. */
export const refreshAfterAdding = (queries: QueryClient): void => {
  void queries.invalidateQueries(factorsQuery);
  void queries.invalidateQueries({ queryKey: ['session'] });
};

export const beginCodes = (): Promise<NewCode> => api.request('POST', CODES, { body: {} });

export const completeCodes = (code: string): Promise<RecoveryCodes> =>
  api.request('POST', `${CODES}/complete`, { body: { code } });

export const removeCodes = (): Promise<Factors> => api.request('DELETE', CODES);

export const beginPasskey = async (): Promise<object> =>
  (await api.request<{ options: object }>('POST', PASSKEYS, { body: {} })).options;

export const completePasskey = (name: string, credential: PasskeyRegistration): Promise<AddedPasskey> =>
  api.request('POST', `${PASSKEYS}/complete`, { body: { name, credential } });

export const renamePasskey = (id: string, name: string): Promise<unknown> =>
  api.request('PUT', pathOf(id), { body: { name } });

export const removePasskey = (id: string): Promise<unknown> => api.request('DELETE', pathOf(id));

export const replaceRecoveryCodes = (): Promise<RecoveryCodes> =>
  api.request('POST', `${FACTORS}/recoverycodes`, { body: {} });
