import type { Command } from 'commander';
import { clientOf, findAccess, type Need } from './credentials.ts';

/** The options of the whole program. */
export type GlobalOptions = { profile?: string };

/** Opens a client for a command. */
export const openClient = async (command: Command, need: Need) =>
  clientOf(await findAccess(command.optsWithGlobals<GlobalOptions>().profile), need);
