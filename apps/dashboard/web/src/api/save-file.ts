/**
 * Lets the browser save what the server of the dashboard sends under a path. The browser saves the file itself, so its size
 * is not limited by the memory of the page, and the page keeps nothing of it.
 *
 * @param filter what the address has after the path; values that are undefined are left out
 */
export const saveFile = (path: string, filter: Readonly<Record<string, string | undefined>> = {}): void => {
  const given = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const link = document.createElement('a');
  link.href = given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
  link.download = '';
  link.click();
};
