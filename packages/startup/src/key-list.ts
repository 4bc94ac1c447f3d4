/** The format of a list of keys, for error messages. */
export const KEY_LIST_FORM = 'id:base64,… with 32 bytes each, for example 1:$(openssl rand -base64 32)';

/** Whether a text is a list of keys: `id:base64` entries, separated by commas. */
export const isKeyList = (text: string): boolean =>
  /^[\w-]{1,32}:[A-Za-z0-9+/]{43}=(,[\w-]{1,32}:[A-Za-z0-9+/]{43}=)*$/.test(text);

/** Whether all ids in a list of keys are different. */
export const hasUniqueKeyIds = (keys: string): boolean => {
  const ids = keys.split(',').map((entry) => entry.split(':')[0]);
  return new Set(ids).size === ids.length;
};
