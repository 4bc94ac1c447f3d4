/** node watchdog-process.ts <data directory> keep|throw-away: clears up after the owner of the directory has died. */
import { claim, throwAway } from './data-directory.ts';

const [directory, mode] = process.argv.slice(2);
if (directory === undefined) throw new Error('which data directory?');

// Refused when a successor has the directory already: then it has stopped the servers too.
const { release } = await claim(directory, { waitMs: 0 });
if (mode === 'throw-away') await throwAway(directory);
else await release();
