import { setTimeout as sleep } from 'node:timers/promises';
import { newId, scopes } from '@chairside/domain';
import { createKey } from '@chairside/test-support';
import { now } from '../clock.ts';
import { type Ledger, openLedger } from '../ledger.ts';
import type { Receiver } from '../receiver.ts';
import type { Service } from '../service.ts';

/** The interval of the tenant's writes, and the timeout of a write. */
const INTERVAL_MS = 100;
const RESPONSE_TIMEOUT_MS = 30_000;

/** Another organization, which creates a patient ten times per second. */
export type Tenant = {
  ledger: Ledger;
  /**
   * Writes until the signal. Returns the response times in milliseconds, and counts of the statuses other than 200 and
   * of the errors.
   */
  work(api: string, until: AbortSignal): Promise<{ responseTimes: number[]; refusals: Map<string, number> }>;
};

export const openTenant = async ({ store, database }: Service, receiver: Receiver): Promise<Tenant> => {
  const _id = newId();
  await store.everyOrganization.organizations.create({ _id, name: 'Tenant' });
  const organization = store.organization(_id);
  const time = new Date();
  const clinicId = newId();
  const clinic = {
    _id: clinicId,
    name: 'C',
    currency: 'EUR',
    timezone: 'UTC',
    lastEditTime: time.toISOString(),
  };
  await organization.clinics.create(clinic);
  await organization.subscriptions.create({ clinicId, url: receiver.url, events: [], active: true }, time);
  const { secret } = await createKey(
    organization,
    { name: 'tenant', scopes: [...scopes], rateLimit: 100_000 },
    time,
  );
  const headers = {
    authorization: `Basic ${Buffer.from(secret).toString('base64')}`,
    'content-type': 'application/json',
  };
  const ledger = openLedger(receiver, database);

  return {
    ledger,
    async work(api, until) {
      const responseTimes: number[] = [];
      const refusals = new Map<string, number>();
      const write = async () => {
        const startedAt = now();
        const body = JSON.stringify({ clinicId, name: 'N' });
        const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
        try {
          const response = await fetch(`${api}/api/patients`, { method: 'POST', headers, body, signal });
          const json = (await response.json()) as { _id: string };
          if (response.status === 200) ledger.wrote(json._id, now());
          else refusals.set(String(response.status), (refusals.get(String(response.status)) ?? 0) + 1);
          responseTimes.push(now() - startedAt);
        } catch (error) {
          const { name } = error as Error;
          refusals.set(name, (refusals.get(name) ?? 0) + 1);
        }
      };
      const inFlight: Promise<void>[] = [];
      while (!until.aborted) {
        inFlight.push(write());
        await sleep(INTERVAL_MS);
      }
      await Promise.all(inFlight);
      return { responseTimes, refusals };
    },
  };
};
