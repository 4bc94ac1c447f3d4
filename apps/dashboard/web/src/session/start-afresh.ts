let isLeaving = false;

/**
 * Lets `startAfresh` leave the page without a question. Call it before the router is created, whose question about unsaved
 * content would come first.
 */
export const prepareStartAfresh = (): void =>
  window.addEventListener(
    'beforeunload',
    (event) => {
      if (isLeaving) event.stopImmediatePropagation();
    },
    { capture: true },
  );

/**
 * Hides the page and opens the start page, because another operator has signed in. Nothing of this page may be kept: it
 * shows data of the earlier operator, and what it sends would be sent in the name of the other one.
 */
export const startAfresh = (): void => {
  isLeaving = true;
  document.documentElement.dataset.locked = 'true';
  location.assign('/');
};
