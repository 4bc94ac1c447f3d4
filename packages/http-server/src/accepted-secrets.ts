import { createHash, timingSafeEqual } from 'node:crypto';

const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/**
 * Creates the function that tells whether a value is one of the secrets. It compares the value with every secret in
 * constant time, so that the duration reveals neither a secret nor which one matches.
 *
 * @param secrets the accepted secrets; with none, every value is wrong
 */
export const acceptedSecrets = (secrets: readonly string[]): ((value: string) => boolean) => {
  const accepted = secrets.map(digestOf);
  return (value) => {
    const digest = digestOf(value);
    return accepted.map((each) => timingSafeEqual(each, digest)).includes(true);
  };
};
