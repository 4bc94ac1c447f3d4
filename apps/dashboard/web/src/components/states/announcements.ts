/** The announcements of React Aria that are labelled by another element, such as that a button is pending. */
const LABELLED = '[data-live-announcer] [aria-labelledby]';

const removeUnnamed = (): void => {
  for (const announcement of document.querySelectorAll(LABELLED)) {
    const ids = (announcement.getAttribute('aria-labelledby') ?? '').split(' ');
    if (!ids.some((id) => document.getElementById(id))) announcement.remove();
  }
};

/**
 * Removes each announcement whose label is no longer in the page. React Aria keeps an announcement for seven seconds, as
 * an image that is labelled by the pressed button. If the button disappears earlier, for example after a sign-in or with
 * a dialog, the next page would have an image without a name.
 */
export const removeUnnamedAnnouncements = (): void => {
  new MutationObserver(removeUnnamed).observe(document.body, { childList: true, subtree: true });
};
