/**
 * Lets the browser save what the server of the dashboard sends under a path. The browser saves the file itself, so its size
 * is not limited by the memory of the page, and the page keeps nothing of it.
 */
export const saveFile = (path: string): void => {
  const link = document.createElement('a');
  link.href = path;
  link.download = '';
  link.click();
};
