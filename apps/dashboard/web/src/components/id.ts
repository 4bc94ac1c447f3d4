/**
 * The form of an id. Ids have digits. So neither an e-mail address nor a name, entered by mistake, gets into the address
 * of the page.
 */
const ID = /^(?=.*\d)[\w-]{1,128}$/;

export const isId = (text: string): boolean => ID.test(text);

/** The message for an entry that is not an id. */
export const ID_HINT = 'Enter an id: letters, digits, - and _, with at least one digit.';
