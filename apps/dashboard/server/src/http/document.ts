/** The frame in the document of the pages, which only signed-in operators see. */
const FRAME = /<!-- frame -->.*<!-- end of the frame -->/s;

/** The document without the frame, for pages that have none and for people who are not signed in. */
export const withoutFrame = (document: string): string => document.replace(FRAME, '');
