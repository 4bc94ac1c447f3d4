import type { AuditEntryFilter } from '@chairside/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { PAGE_SIZE } from '../../api/page-size.ts';
import { saveFile } from '../../api/save-file.ts';
import { firstPages } from '../../session/first-pages.ts';
import { withPrompts } from '../../session/prompts.ts';
import type { AuditSearch } from './search.ts';

const listOf = (filter: Omit<AuditSearch, 'cursor'>, pageSize: number, signal?: AbortSignal) =>
  api.auditEntries.list(filter as AuditEntryFilter, { pageSize, signal });

/** One page of audit entries, the newest first. */
export const auditQuery = ({ cursor, ...filter }: AuditSearch) =>
  queryOptions({
    queryKey: ['audit', filter, cursor],
    queryFn: ({ signal }) => withPrompts(() => listOf(filter, PAGE_SIZE, signal).page(cursor)),
    placeholderData: keepPreviousData,
  });

/**
 * Downloads the entries as CSV. A download can neither ask for a sign-in nor show a refusal, so one entry is read before it begins.
 *
 * @throws {ChairsideError} if the entries cannot be read
 */
export const downloadEntries = async ({ cursor: _, ...filter }: AuditSearch): Promise<void> => {
  await withPrompts(() => listOf(filter, 1).page());
  saveFile('/downloads/auditentries.csv', filter);
};

/** The most pages of entries about one record. */
const MAX_PAGES = 5;
/** The largest page of the api. */
const LARGEST_PAGE = 1000;

/** The entries about a record, the newest first, and whether there are more. */
export const seenQuery = (filter: Pick<AuditSearch, 'recordId' | 'since' | 'until'>) =>
  queryOptions({
    queryKey: ['audit', 'seen', filter],
    async queryFn({ signal }) {
      const { rows, isCut } = await firstPages(listOf(filter, LARGEST_PAGE, signal), MAX_PAGES);
      return { entries: rows, isCut };
    },
    placeholderData: keepPreviousData,
  });
