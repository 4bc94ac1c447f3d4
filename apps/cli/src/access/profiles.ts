import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import envPaths from 'env-paths';
import { CliError, describe } from '../failure.ts';

/** The address of a service, and the session of an operator there. */
export type Profile = {
  url: string;
  /** The access token; absent before `login` and after `logout`. */
  token?: string;
  email?: string;
  /** When the session ends at the latest, ISO 8601. */
  expiryTime?: string;
  /** The secret with which `listen` signs. */
  listenSecret?: string;
};

/** The content of the profiles file, which only its owner can read. */
export type Profiles = { current: string; profiles: Record<string, Profile> };

/**
 * `profiles.json` in the folder for settings of the operating system. On Linux, this is `$XDG_CONFIG_HOME/chairside`,
 * by default `~/.config/chairside`.
 */
export const profilesFile = (): string => join(envPaths('chairside', { suffix: '' }).config, 'profiles.json');

const OTHERS = 0o077;

/** @throws {CliError} if other users have access to the file, or if it is damaged */
export const readProfiles = async (): Promise<Profiles> => {
  const file = profilesFile();
  try {
    // On Windows, the mode does not show who can read the file. There, the folder belongs to the user.
    if (process.platform !== 'win32' && ((await stat(file)).mode & OTHERS) !== 0) {
      throw new CliError(
        `${file}: other users can read this file, and it contains an access token. Run: chmod 600 '${file}'`,
      );
    }
    const { current, profiles } = JSON.parse(await readFile(file, 'utf8')) as Profiles;
    if (typeof current !== 'string' || typeof profiles !== 'object') throw new SyntaxError();
    return { current, profiles };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: 'default', profiles: {} };
    if (error instanceof SyntaxError)
      throw new CliError(`${file}: is damaged. Delete it, then run \`chairside login\`.`);
    // No flag names this path, so a wrong one is not wrong usage.
    throw error instanceof CliError ? error : new CliError(describe(error).text);
  }
};

/** Replaces the file as a whole, so that a crash does not leave an incomplete file. */
export const writeProfiles = async (profiles: Profiles): Promise<void> => {
  const file = profilesFile();
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await chmod(dirname(file), 0o700);
  const { default: writeFileAtomic } = await import('write-file-atomic');
  await writeFileAtomic(file, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
};

/**
 * Changes, creates or removes one profile. `change` gets undefined if the profile does not exist, and returns undefined
 * to remove it.
 *
 * @param current the name of the current profile from now on. Default: the same as before
 */
export const updateProfile = async (
  name: string,
  change: (profile: Profile | undefined) => Profile | undefined,
  current = (stored: Profiles): string => stored.current,
): Promise<Profiles> => {
  const stored = await readProfiles();
  const { [name]: before, ...others } = stored.profiles;
  const after = change(before);
  const next = { current: current(stored), profiles: { ...others, ...(after && { [name]: after }) } };
  await writeProfiles(next);
  return next;
};
