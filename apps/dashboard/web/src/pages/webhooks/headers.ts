import type { WebhookSubscription } from '@chairside/client';

type FixedHeaders = WebhookSubscription['headers'];

/** The headers as lines, in the form of HTTP: a name, a colon and a value. */
export const linesOf = (headers: FixedHeaders): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

const entriesOf = (lines: string): [name: string, value: string][] =>
  lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const end = line.indexOf(':');
      return [line.slice(0, Math.max(end, 0)).trim(), line.slice(end + 1).trim()];
    });

/** The headers of these lines. The service checks the names and the values. */
export const headersOf = (lines: string): FixedHeaders => Object.fromEntries(entriesOf(lines));

/** Why the lines are no headers; empty if they are. */
export const problemOf = (lines: string): string => {
  const names = entriesOf(lines).map(([name]) => name.toLowerCase());
  if (names.includes('')) return 'Write each header as a name, a colon and a value.';
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  return repeated === undefined ? '' : `The header ${repeated} occurs twice.`;
};

/** Whether lines keep a value that only the service knows. */
export const keepsValues = (lines: string): boolean =>
  entriesOf(lines).some(([, value]) => /^\*+$/.test(value));
