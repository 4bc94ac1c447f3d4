/**
 * The form of an id. An id contains a digit. So an e-mail address or a name that is entered by mistake does not get
 * into the address of the page.
 */
const ID = /^(?=.*\d)[\w-]{1,128}$/;

export const isId = (text: string): boolean => ID.test(text);

/** The message for an entry that is not an id. */
export const ID_HINT = 'Enter an id: letters, digits, - and _, with at least one digit.';
