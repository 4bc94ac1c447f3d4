/** 32 characters that cannot be mistaken for each other: no `l`, `o`, `0` and `1`. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
/** Number of characters of a password. Each has five random bits, so a password has 120. */
const LENGTH = 24;
const GROUP = 4;

/** Creates a random password such as `k3fd-9mzq-…`, in groups that can be read out over the telephone. */
export const makePassword = (): string => {
  // 256 is a multiple of 32, so every character is equally likely.
  const characters = Array.from(
    crypto.getRandomValues(new Uint8Array(LENGTH)),
    (byte) => ALPHABET[byte % ALPHABET.length],
  );
  return characters.map((each, index) => (index > 0 && index % GROUP === 0 ? `-${each}` : each)).join('');
};

/** A new password of an operator. Only this page can show it. */
export type NewPassword = { email: string; password: string };

/** The dialog's step that shows the password. */
export const shownPassword = ({ email, password }: NewPassword) => ({
  title: 'Copy the password',
  label: 'Password',
  text: password,
  explanation: `This is the password of ${email}. It is shown only once. Its owner must choose another one at the first sign-in.`,
});
