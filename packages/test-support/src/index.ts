export { nodeArgumentsOf, skewedBy } from './app.ts';
export { takeBackup } from './backup.ts';
export { Browser } from './browser.ts';
export { canaryFinder } from './canary.ts';
export { cliOf, type Run, runCommand } from './command-here.ts';
export {
  type Ended,
  environmentOf,
  type Folder,
  openFolder,
  type Started,
  startCli,
  startCliInShell,
  startCommand,
} from './command-line.ts';
export { plantConnection } from './connections.ts';
export { type DatabaseProxy, type Fault, startDatabaseProxy } from './database-proxy.ts';
export { type DebianPackage, unpackDebianPackage } from './debian-program.ts';
export { plantTreatments } from './long-list.ts';
export { LONGEST_WAIT_MS } from './longest-wait.ts';
export {
  mailSteps,
  parseMail,
  startMailServer,
  type TakenMail,
  type TestMailServer,
} from './mail-server.ts';
export { ageFacts, ageNotices } from './notices.ts';
export {
  basic,
  createKey,
  createPractice,
  type Practice,
  type TestOperator,
  writePatient,
} from './practice.ts';
export { type Post, type RecordingReceiver, startRecordingReceiver } from './recording-receiver.ts';
export { redisServers } from './redis-servers.ts';
export { referencesIn } from './references.ts';
export { collectionsWith, openedDocuments, sealedDocument, sealedEvent } from './sealed-documents.ts';
export {
  type ApiResponse,
  apiAddress,
  callApi,
  type LogLine,
  metricsUrl,
  type ServiceProcess,
  startApi,
  startDispatcher,
  startProcess,
  startProgram,
  untilDispatching,
} from './service-process.ts';
export { shardKeys } from './shards.ts';
export { steadyLimiter } from './steady-limiter.ts';
export {
  type EmptyDatabase,
  openEmptyDatabase,
  openTestStore,
  quickPasswords,
  type TestStore,
  testEngines,
} from './test-store.ts';
export { startWholeProduct, type WholeProduct } from './whole-product.ts';
export { startWholeService, type WholeService } from './whole-service.ts';
