import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useWaitForClinics } from '../clinics/requests.ts';
import { ContinueSearch } from '../components/ContinueSearch.tsx';
import { PageHeading } from '../components/PageHeading.tsx';
import { Pager } from '../components/Pager.tsx';
import { Problem } from '../components/Problem.tsx';
import { RefreshButton } from '../components/RefreshButton.tsx';
import { MissingPage } from '../layout/MissingPage.tsx';
import { isKind, type Kind } from '../record-kinds.ts';
import { describe } from './descriptions.ts';
import { EmailSearch } from './EmailSearch.tsx';
import { RecordFilters } from './RecordFilters.tsx';
import { RecordTable } from './RecordTable.tsx';
import { recordsQuery } from './requests.ts';
import type { RecordSearch } from './search.ts';
import '../components/Filters.css';

/** A search by e-mail address, with the cursor in its results. The address of the page contains neither. */
type Found = { email: string; cursor: string | undefined };

const RecordList = ({ kind }: { kind: Kind }) => {
  const search = useSearch({ from: '/signed-in/records/$kind' });
  const navigate = useNavigate({ from: '/records/$kind' });
  const [found, setFound] = useState<Found>();
  const { filters, many } = describe(kind);
  const place = found === undefined ? search : { ...search, cursor: found.cursor };
  const list = useQuery(recordsQuery(kind, place, found?.email));
  const { data, error, isPending } = list;
  const waits = useWaitForClinics() || isPending;
  // A cursor is valid only for its filters, so a change of a filter removes it.
  const filter = (change: RecordSearch) => {
    if (found !== undefined) setFound({ ...found, cursor: undefined });
    void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, ...change }) });
  };
  const go = (cursor: string | undefined) => {
    if (found !== undefined) return setFound({ ...found, cursor });
    void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, cursor }) });
  };
  return (
    <>
      <PageHeading>{many}</PageHeading>
      <div className="filter-bar">
        <RecordFilters kind={kind} search={search} onChange={filter} />
        {filters.includes('email') && (
          <EmailSearch
            email={found?.email}
            onChange={(email) => setFound(email === undefined ? undefined : { email, cursor: undefined })}
          />
        )}
        <div className="buttons">
          <RefreshButton query={list} />
        </div>
      </div>
      <Problem error={error} />
      {waits && <p role="status">Loading {many.toLowerCase()}…</p>}
      {data !== undefined &&
        !waits &&
        (data.data.length === 0 ? (
          <p className="empty">
            {data.nextCursor === undefined
              ? 'No record matches. Records come in through the API, or with the import of chairside-admin.'
              : 'No record matches so far.'}
          </p>
        ) : (
          <RecordTable kind={kind} records={data.data} />
        ))}
      {!waits && <ContinueSearch page={data} />}
      {!waits && (
        <Pager
          isFirst={place.cursor === undefined}
          next={data?.nextCursor}
          onFirst={() => go(undefined)}
          onNext={go}
        />
      )}
    </>
  );
};

/** The records of one kind. They are read-only here. */
export const RecordsPage = () => {
  const { kind } = useParams({ from: '/signed-in/records/$kind' });
  // The key discards the state of a search when another kind is opened.
  return isKind(kind) ? <RecordList key={kind} kind={kind} /> : <MissingPage />;
};
