/**
 * node watchdog-process.ts <directory> keep|throw-away: stops the servers of a claimed directory whose owner has died.
 * With `throw-away`, it also removes the directory.
 */
import { claim, discard } from './claimed-directory.ts';

const [directory, mode] = process.argv.slice(2);
if (directory === undefined) throw new Error('Pass the directory as the first argument.');

// The claim fails when another process has already claimed the directory. That process has stopped the servers.
const { release } = await claim(directory, { waitMs: 0 });
if (mode === 'throw-away') await discard(directory);
else await release();
