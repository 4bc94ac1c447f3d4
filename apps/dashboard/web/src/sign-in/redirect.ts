/**
 * The path to return to after signing in. Anything that could lead to another origin becomes `/`: browsers read
 * `//host` and `/\host` as addresses of another host.
 */
export const safePath = (value: unknown): string =>
  typeof value === 'string' && /^\/(?![/\\])[\w\-./?=&%:]*$/.test(value) && !value.startsWith('/sign-in')
    ? value
    : '/';
