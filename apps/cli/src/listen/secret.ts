import { newWebhookSecret } from '@chairside/webhook-request';
import { profileName } from '../access/credentials.ts';
import { readProfiles, updateProfile } from '../access/profiles.ts';
import { UsageError } from '../failure.ts';
import { say } from '../output/stdout.ts';

/**
 * Returns the secret with which `listen` signs for this profile. Creates it at the first use.
 *
 * @param given the name of the profile, if it was given
 * @param url the address of the API, which a new profile needs
 * @throws {UsageError} if there is no profile and no address
 */
export const listenSecretOf = async (given: string | undefined, url: string | undefined): Promise<string> => {
  const { current, profiles } = await readProfiles();
  const name = profileName(given, current);
  const known = profiles[name];
  if (known?.listenSecret !== undefined) return known.listenSecret;
  const address = known?.url ?? url;
  if (!address)
    throw new UsageError(
      'There is no profile to keep a secret in. Give --secret-env with the environment variable that has the secret of your receiver, or run `chairside login`.',
    );
  const listenSecret = newWebhookSecret();
  await updateProfile(name, (profile) => ({ ...(profile ?? { url: address }), listenSecret }));
  return listenSecret;
};

/** Says with which secret a receiver verifies, and by which id it may choose it. */
export const saySecret = (secret: string, subscriptionId: string): void =>
  say(`The secret for your receiver: ${secret} (X-Service-Subscription-Id: ${subscriptionId})`);
