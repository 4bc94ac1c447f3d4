import type { ServerResponse } from 'node:http';
import { createConcurrencyCount, createFairQueue } from '@chairside/concurrency';
import { Refusal, type ResourceLimit } from '@chairside/domain';
import { untilClosed } from '@chairside/http-server';
import type { CountedAs } from '../principals.ts';
import { MAX_DELIVERIES } from './deliveries.ts';

const MAX_OF_SESSION = 2;
const MAX_OF_ORGANIZATION = 8;
/** Maximum number of open downloads in this process. Each download holds one page as CSV, about half a MiB. */
const MAX_OF_PROCESS = 64;
/** How many pages are read from the api at the same time. */
const MAX_READS = 4;
const MAX_READS_OF_ORGANIZATION = 2;

const part = 'Dashboard';
export const downloadLimits: readonly ResourceLimit[] = [
  {
    id: 'downloads_of_session',
    part,
    resource: 'Downloads of one session',
    value: MAX_OF_SESSION,
    unit: 'at once in each process',
    beyond: '429 TooManyRequests',
  },
  {
    id: 'downloads_of_organization',
    part,
    resource: 'Downloads of one organization',
    value: MAX_OF_ORGANIZATION,
    unit: 'at once in each process',
    beyond: '429 TooManyRequests',
  },
  {
    id: 'downloads',
    part,
    resource: 'Downloads of all organizations',
    value: MAX_OF_PROCESS,
    unit: 'at once in each process',
    beyond: '503 ServiceUnavailable',
  },
  {
    id: 'download_reads',
    part,
    resource: 'Pages of downloads that are being read from the api',
    value: MAX_READS,
    unit: 'at once in each process',
    beyond: 'the download waits; organizations take turns',
  },
  {
    id: 'download_reads_of_organization',
    part,
    resource: 'Pages of downloads of one organization that are being read from the api',
    value: MAX_READS_OF_ORGANIZATION,
    unit: 'at once in each process',
    beyond: 'the download waits; organizations take turns',
  },
  {
    id: 'downloaded_deliveries',
    part,
    resource: 'Rows of a file of deliveries',
    value: MAX_DELIVERIES,
    unit: 'in each file',
    beyond: 'the last row of the file says so',
  },
];

const tooMany = (whose: string, max: number, isOwn: boolean): Refusal =>
  new Refusal(
    isOwn ? 'TooManyRequests' : 'ServiceUnavailable',
    `At most ${max} downloads can run at once for ${whose}. Finish or cancel one, then try again.`,
    { retryAfter: 5 },
  );

/** Limits downloads, because a slow reader can keep a download open for a long time. */
export const createDownloadAdmission = () => {
  const open = createConcurrencyCount();
  const reads = createFairQueue({
    atOnce: MAX_READS,
    atOnceOfCaller: MAX_READS_OF_ORGANIZATION,
    // A download waits for one page at a time.
    maxWaiting: MAX_OF_PROCESS,
  });
  return {
    /**
     * Counts a download until its response ends.
     *
     * @throws {Refusal} TooManyRequests or ServiceUnavailable
     */
    open(response: ServerResponse, { session, organization }: CountedAs): void {
      const download = open.begin([
        { name: session, max: MAX_OF_SESSION, whose: 'each session', isOwn: true },
        { name: organization, max: MAX_OF_ORGANIZATION, whose: 'each organization', isOwn: true },
        { name: 'process', max: MAX_OF_PROCESS, whose: 'this process', isOwn: false },
      ]);
      const { full } = download;
      if (full !== undefined) throw tooMany(full.whose, full.max, full.isOwn);
      untilClosed(response).then(download.end);
    },
    /** Reads a page when it is the organization's turn. */
    read: <T>({ organization }: CountedAs, work: () => Promise<T>): Promise<T> =>
      reads.run(organization, work),
  };
};
