/**
 * The path to return to after signing in. A value that is not a plain path of this origin becomes `/`. Browsers read
 * `//host` and `/\host` as addresses of another host.
 */
export const safePath = (value: unknown): string =>
  typeof value === 'string' &&
  /^\/(?![/\\])[\w\-./?=&%:]*(?:#\w*)?$/.test(value) &&
  !value.startsWith('/sign-in')
    ? value
    : '/';
