import { createPractice, openFolder, openTestStore } from '@chairside/test-support';
import { adminOf } from './admin.ts';

/** A database with one practice, a folder for input files, and the command line for that database. */
export const openPracticeCommands = async () => {
  const testStore = await openTestStore();
  const practice = await createPractice(testStore.store);
  const folder = await openFolder();
  const close = async () => {
    await folder.close();
    await testStore.close();
  };
  return { testStore, practice, folder, cli: adminOf(testStore), close };
};
