/**
 * The form of an id. An id contains a digit. So an e-mail address or a name that is entered by mistake does not get
 * into the address of the page.
 */
const ID = /^(?=.*\d)[\w-]{1,128}$/;

export const isId = (text: string): boolean => ID.test(text);

/**
 * What may be the id that a record has in another system, besides the form above: a text with a letter and a digit, of
 * characters that names hardly have.
 */
const EXTERNAL_ID = /^(?=.*\d)(?=.*[A-Za-z])[\w.:/#|+-]{1,255}$/;

/** Whether a text may be the id of something, or its external id. */
export const isAnyId = (text: string): boolean => isId(text) || EXTERNAL_ID.test(text);

/** The message for an entry that is not an id. */
export const ID_HINT = 'Enter an id: letters, digits, - and _, with at least one digit.';
