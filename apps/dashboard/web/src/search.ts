/**
 * The filters of a list in the address of a page: opaque ids, times and enumerations, never a name or an e-mail
 * address.
 */
export type Search<Name extends string> = { [N in Name]?: string | undefined };

const MAX_LENGTH = 600;

/**
 * Reads the filters of an address. Drops unknown names, empty values, and values of more than 600 characters.
 *
 * @param names the filters that the list has
 */
export const searchOf =
  <const Name extends string>(names: readonly Name[]) =>
  (raw: Record<string, unknown>): Search<Name> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = raw[name];
        const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
        return typeof text === 'string' && text !== '' && text.length <= MAX_LENGTH ? [[name, text]] : [];
      }),
    ) as Search<Name>;

const asText = (value: unknown): string => String(value);

/** Writes and reads the query of an address as plain text: `?outcome=failed`, without JSON. */
export const plainQuery = {
  stringifySearch(search: Record<string, unknown>): string {
    const entries = Object.entries(search).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(entries.map(([name, value]) => [name, asText(value)])).toString();
    return query === '' ? '' : `?${query}`;
  },
  parseSearch: (query: string): Record<string, unknown> => Object.fromEntries(new URLSearchParams(query)),
};
