import { once } from 'node:events';
import { DemoProblem } from './problem.ts';
import type { Received } from './receiver.ts';

/** How long the delivery may take. */
const DELIVERY_TIMEOUT_MS = 30_000;

type Subject = { api: string; apiKey: string; clinicId: string };

const describe = ({ headers, body }: Received): string[] => [
  ...[
    'content-type',
    'user-agent',
    ...Object.keys(headers).filter((name) => name.startsWith('x-service-')),
  ].map((name) => `    ${name}: ${headers[name]}`),
  '',
  `    ${body}`,
];

/**
 * Shows the main job of the product: creates a patient over HTTP, and waits until the receiver has verified the
 * webhook.
 *
 * @param next resolves with the next delivery that the predicate accepts
 * @param signal ends the wait
 * @throws {DemoProblem} if the patient is not created, the webhook does not arrive, or its signature is refused
 */
export const showMainJob = async (
  { api, apiKey, clinicId }: Subject,
  next: (matches: (received: Received) => boolean) => Promise<Received>,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<void> => {
  const authorization = `Basic ${Buffer.from(apiKey).toString('base64')}`;
  const body = JSON.stringify({ clinicId, name: 'Ada Beispiel', email: 'ada.beispiel@example.com' });
  print('');
  print(`  POST ${api}/api/patients`);
  print(`    ${body}`);

  // The delivery can arrive before the response of the api has been read.
  const arrivals: Received[] = [];
  let wanted: string | undefined;
  const isWanted = (received: Received) => {
    arrivals.push(received);
    return wanted !== undefined && received.body.includes(wanted);
  };
  const arriving = next(isWanted);

  const response = await fetch(`${api}/api/patients`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body,
    signal,
  });
  const answeredAt = performance.now();
  const text = await response.text();
  print(`  ${response.status} ${text}`);
  if (!response.ok) throw new DemoProblem(`The api refused to create a patient: ${text}`);
  wanted = JSON.parse(text)._id as string;

  const early = arrivals.find((received) => received.body.includes(wanted as string));
  const waiting = AbortSignal.any([signal, AbortSignal.timeout(DELIVERY_TIMEOUT_MS)]);
  const ended = once(waiting, 'abort').then(() => undefined);
  const received = early ?? (await Promise.race([arriving, ended]));
  signal.throwIfAborted();
  if (received === undefined) {
    throw new DemoProblem(
      `No webhook arrived within ${DELIVERY_TIMEOUT_MS / 1000} s. See the logs in .data/.`,
    );
  }

  print('');
  print('  The webhook that the receiver got:');
  for (const line of describe(received)) print(line);
  print('');
  if ('refusal' in received) throw new DemoProblem(`The receiver refused the signature: ${received.refusal}`);
  print(`  ✓ signature verified, ${Math.max(0, received.at - answeredAt).toFixed(1)} ms after the response`);
};
