/** The path of the first script. Its name contains a hash of its content and of the names of all other files. */
const { pathname, search } = new URL(import.meta.url);

/** Whether the server has another build of the pages than the one that runs here. */
const isReplaced = async (): Promise<boolean> => {
  const response = await fetch('/', { headers: { Accept: 'text/html' }, cache: 'no-store' });
  return response.ok && !(await response.text()).includes(`"${pathname}${search}"`);
};

/**
 * Reloads the page if a file of it cannot be loaded because the server has another build, whose files have other names.
 * The reloaded page is of that build, so a file that is missing there leads to no further reload.
 */
export const reloadForNewBuild = (): void => {
  addEventListener('vite:preloadError', ({ payload }) => {
    // The router reloads after the browser's own message, even without a connection.
    payload.message = 'A file of this page cannot be loaded.';
    isReplaced().then(
      (isOther) => isOther && location.reload(),
      () => {},
    );
  });
};
