/**
 * node mongod-download-process.ts: downloads the mongod for this system into $MONGOMS_DOWNLOAD_DIR and prints its path
 * as the last line. It is a process of its own, so that a download can be aborted.
 */
import { MongoBinary } from 'mongodb-memory-server-core';
import { reasonOf } from '../problem.ts';

try {
  console.log(await MongoBinary.getPath());
} catch (error) {
  console.error(reasonOf(error));
  // Exits immediately, because a refused request leaves a connection open that would keep this process alive.
  process.exit(1);
}
