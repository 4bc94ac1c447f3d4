import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Button } from 'react-aria-components';
import { ContinueSearch } from '../components/ContinueSearch.tsx';
import { PageHeading } from '../components/PageHeading.tsx';
import { Pager } from '../components/Pager.tsx';
import { Problem } from '../components/Problem.tsx';
import { RefreshButton } from '../components/RefreshButton.tsx';
import { keysQuery, operatorsQuery, programTokensQuery } from '../principals/requests.ts';
import { AuditFilters } from './AuditFilters.tsx';
import { AuditTable } from './AuditTable.tsx';
import type { Principals } from './principals.ts';
import { auditQuery, downloadEntries } from './requests.ts';
import type { AuditSearch } from './search.ts';
import '../components/Filters.css';

/**
 * Returns the names of operators, keys and program tokens, and whether they are still being read. The page waits for them, because
 * replacing ids with names would move the content below.
 */
const usePrincipals = (): { principals: Principals; isPending: boolean } => {
  const { data: operators, isPending: operatorsPend } = useQuery(operatorsQuery);
  const { data: keys, isPending: keysPend } = useQuery(keysQuery);
  const { data: tokens, isPending: tokensPend } = useQuery(programTokensQuery);
  const principals = useMemo(
    () => ({
      names: new Map([
        ...(operators ?? []).map(({ _id, email }) => [_id, email] as const),
        ...(keys ?? []).map(({ _id, name }) => [_id, name] as const),
        ...(tokens ?? []).map(({ _id, name }) => [_id, name] as const),
      ]),
      areAll: operators !== undefined && keys !== undefined && tokens !== undefined,
    }),
    [operators, keys, tokens],
  );
  return { principals, isPending: operatorsPend || keysPend || tokensPend };
};

/** The audit log with its filters and the download. */
export const AuditPage = () => {
  const search = useSearch({ from: '/signed-in/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const list = useQuery(auditQuery(search));
  const { data, error, isPending } = list;
  const download = useMutation({ mutationFn: () => downloadEntries(search) });
  const { principals, isPending: namesPend } = usePrincipals();
  const waits = isPending || namesPend;
  // A cursor is valid only for its filters, so a change of a filter removes it.
  const filter = (change: AuditSearch) =>
    void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, ...change }) });
  return (
    <>
      <PageHeading>Audit log</PageHeading>
      <div className="filter-bar">
        <AuditFilters search={search} principals={principals} onChange={filter} />
        <div className="buttons">
          <RefreshButton query={list} />
          <Button isPending={download.isPending} onPress={() => download.mutate()}>
            Download CSV
          </Button>
        </div>
      </div>
      {search.requestId !== undefined && (
        <p>
          Entries of one request: <code>{search.requestId}</code>
        </p>
      )}
      <Problem error={download.error ?? error} />
      {waits && <p role="status">Loading the audit log…</p>}
      {data !== undefined &&
        !waits &&
        (data.data.length === 0 ? (
          <p className="empty">
            {data.nextCursor === undefined
              ? 'No entry matches. Every read and change of a record about a patient leaves an entry, and so does every sign-in and every change of operators, keys and subscriptions.'
              : 'No entry matches so far.'}
          </p>
        ) : (
          <AuditTable entries={data.data} principals={principals} />
        ))}
      {!waits && <ContinueSearch page={data} />}
      {!waits && (
        <Pager
          isFirst={search.cursor === undefined}
          next={data?.nextCursor}
          onFirst={() => filter({})}
          onNext={(cursor) => void navigate({ search: (kept) => ({ ...kept, cursor }) })}
        />
      )}
    </>
  );
};
