import { isDeepStrictEqual } from 'node:util';
import type { SyncEvidence } from './sync/records.ts';

/**
 * Checks that two systems that sync both ways have the same records as the service in the end, each external id once, and
 * that nothing is left to be written.
 */
export function* judgeSync({ sync: { systems, service } }: { sync: SyncEvidence }): Generator<string> {
  const stored = new Map<string, object>();
  for (const { externalId, fields } of service) {
    if (stored.has(externalId)) yield `two records have the external id ${externalId}`;
    stored.set(externalId, fields);
  }
  for (const [name, { records, unwritten }] of Object.entries(systems)) {
    if (unwritten > 0) yield `${name} has ${unwritten} changes that are not written`;
    for (const externalId of new Set([...stored.keys(), ...Object.keys(records)])) {
      const [own, other] = [records[externalId], stored.get(externalId)];
      if (!isDeepStrictEqual(own, other))
        yield `${name} has ${JSON.stringify(own) ?? 'nothing'} for ${externalId}, and the service ${JSON.stringify(other) ?? 'nothing'}`;
    }
  }
}
