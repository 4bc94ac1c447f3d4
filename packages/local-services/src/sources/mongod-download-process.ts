/**
 * node mongod-download-process.ts: downloads the mongod for this system into $MONGOMS_DOWNLOAD_DIR and prints
 * its path as the last line. A process of its own, so that a download can be ended.
 */
import { MongoBinary } from 'mongodb-memory-server-core';
import { reasonOf } from '../problem.ts';

try {
  console.log(await MongoBinary.getPath());
} catch (error) {
  console.error(reasonOf(error));
  // At once: a refused request leaves a connection open that would keep this process.
  process.exit(1);
}
