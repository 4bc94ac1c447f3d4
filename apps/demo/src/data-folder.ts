import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoOperator, DemoOrganization } from './practice.ts';

export type SignedInOperator = DemoOperator & { token: string };
export type SignedInOrganization = Omit<DemoOrganization, 'administrator' | 'staff'> & {
  administrator: SignedInOperator;
  staff: SignedInOperator;
};

/** The contents of `.data/demo.json`, for other programs. The addresses are those of the last start. */
export type DemoFacts = {
  api: string;
  dispatcher: string;
  /** The address that a browser opens. */
  dashboard: string;
  metrics: string;
  dashboardMetrics: string;
  /** The address of the connector that people enter in their assistant. */
  mcp: string;
  mcpMetrics: string;
  /** Where the dashboard listens for the connector. */
  introspection: string;
  receiver: string;
  /** The page with the mails that the demo has sent; `/mails` below it has them as JSON. */
  inbox: string;
  /** The mail server of the inbox. */
  smtp: string;
  mongodbUrl: string;
  redisUrl: string;
  /** The command that runs the command line, in the folder of the repository. */
  cli: string;
  organizations: SignedInOrganization[];
};

/** The folder that keeps the demo's data between starts. Other users cannot read it. */
export type DataFolder = {
  path: string;
  readFacts(): Promise<DemoFacts | undefined>;
  writeFacts(facts: DemoFacts): Promise<void>;
  /** The demo's own encryption keys. They are created at the first start. */
  encryptionKeys(): Promise<string>;
  /** The keys of the demo's authorization server, created in the same way. */
  oauthKeys(): Promise<string>;
};

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

const readIfThere = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

/** Writes a new file and moves it into place, so that a reader never sees an incomplete file. */
const writeWhole = async (file: string, text: string): Promise<void> => {
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
};

export const openDataFolder = async (path: string): Promise<DataFolder> => {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const factsFile = join(path, 'demo.json');
  const keysIn = async (name: string): Promise<string> => {
    const file = join(path, name);
    const kept = await readIfThere(file);
    if (kept !== undefined) return kept.trim();
    const made = `demo:${randomBytes(32).toString('base64')}`;
    await writeWhole(file, `${made}\n`);
    return made;
  };
  return {
    path,
    async readFacts() {
      const text = await readIfThere(factsFile);
      return text === undefined ? undefined : JSON.parse(text);
    },
    writeFacts: (facts) => writeWhole(factsFile, `${JSON.stringify(facts, null, 2)}\n`),
    encryptionKeys: () => keysIn('encryption-keys'),
    oauthKeys: () => keysIn('oauth-keys'),
  };
};
