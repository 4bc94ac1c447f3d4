import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type Failure,
  REMEDIES,
  REMEDIES_BY_CODE,
  REMEDIES_BY_SIGNING_CODE,
  REMEDIES_BY_STATUS,
  remedyOf,
} from '../src/words.ts';

const failed = (changes: Partial<Failure>): Failure => ({ outcome: 'failed', ...changes });

describe('remedyOf', () => {
  it('has a sentence for every cause', () => {
    for (const cause of Object.keys(REMEDIES) as (keyof typeof REMEDIES)[])
      expect(remedyOf(failed({ cause }))).toBe(REMEDIES[cause].remedy);
  });

  it('prefers what is known of a status or of a code', () => {
    expect(remedyOf(failed({ cause: 'status', statusCode: 401 }))).toContain('signature');
    expect(remedyOf(failed({ cause: 'status', statusCode: 404 }))).toContain('path');
    expect(remedyOf(failed({ cause: 'status', statusCode: 502 }))).toContain('it failed');
    expect(remedyOf(failed({ cause: 'status', statusCode: 418 }))).toBe(REMEDIES.status.remedy);
    expect(remedyOf(failed({ cause: 'tls', code: 'ERR_SSL_WRONG_VERSION_NUMBER' }))).toContain(
      'speaks no TLS',
    );
    expect(remedyOf(failed({ cause: 'tls', code: 'ERR_OF_NEXT_YEAR' }))).toBe(REMEDIES.tls.remedy);
  });

  it('reads the code of @chairside/signing in a response, whatever its status, and nothing else', () => {
    const answered = (responseBody: string, statusCode = 400) =>
      remedyOf(failed({ cause: 'status', statusCode, responseBody }));
    for (const [code, remedy] of Object.entries(REMEDIES_BY_SIGNING_CODE))
      expect(answered(code)).toBe(remedy);
    expect(answered('mismatch\n', 500)).toBe(REMEDIES_BY_SIGNING_CODE.mismatch);
    for (const other of ['constructor', 'mismatch: wrong', ''])
      expect(answered(other)).toContain('refuses the webhook');
  });

  it('knows each code of @chairside/signing', () => {
    const readme = readFileSync(new URL('../../signing/README.md', import.meta.url), 'utf8');
    const [, errors = ''] = readme.split('\n## Errors\n');
    const [section = ''] = errors.split('\n## ');
    const codes = [...section.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(5);
    expect(Object.keys(REMEDIES_BY_SIGNING_CODE).toSorted()).toEqual(codes.toSorted());
  });

  it('asks for another test after a test, because a test is not redelivered', () => {
    const test = { kind: 'test', cause: 'connect', code: 'ECONNREFUSED' } as const;
    expect(remedyOf(failed(test))).toBe(
      "Start the receiver, or correct the port in the subscription's URL. Then send another test.",
    );
  });

  it('says nothing about a success, and about a cause of a later version', () => {
    expect(remedyOf({ outcome: 'succeeded' })).toBeUndefined();
    expect(remedyOf(failed({ cause: 'later' as never }))).toBeUndefined();
    expect(remedyOf({ outcome: 'interrupted' })).toContain('unknown whether');
  });
});

const row = (...cells: string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: string[], rows: string[][]): string =>
  [row(...head), row(...head.map(() => '---')), ...rows.map((cells) => row(...cells))].join('\n');

it('is documented', async () => {
  const page = `# Why webhooks fail

<!-- Made from packages/client/src/words.ts. Do not edit it; run \`npm test -- packages/client/test/words.test.ts -u\`. -->

The dashboard shows these sentences with a delivery, \`chairside deliveries get\` prints them, and \`remedyOf\` of
\`@chairside/client/words\` returns them. The fields are those of \`GET /api/webhookdeliveries/{webhookDeliveryId}\`.

## By \`cause\`

${table(
  ['`cause`', 'What happened', 'What to do'],
  Object.entries(REMEDIES).map(([cause, { happened, remedy }]) => [`\`${cause}\``, happened, remedy]),
)}

## By \`code\`

A network error has the \`code\` that Node.js or OpenSSL reports.

${table(
  ['`code`', 'What to do'],
  Object.entries(REMEDIES_BY_CODE).map(([code, remedy]) => [`\`${code}\``, remedy]),
)}

## By \`statusCode\`

${table(
  ['`statusCode`', 'What to do'],
  REMEDIES_BY_STATUS.map(({ statuses, remedy }) => [statuses.join(', '), remedy]),
)}

## By the code of \`@chairside/signing\`

A receiver that verifies with \`@chairside/signing\` responds with the code of its refusal. It is in \`responseBody\`.

${table(
  ['`responseBody`', 'What to do'],
  Object.entries(REMEDIES_BY_SIGNING_CODE).map(([code, remedy]) => [`\`${code}\``, remedy]),
)}
`;
  await expect(page).toMatchFileSnapshot('../../../docs/webhook-failures.md');
});
