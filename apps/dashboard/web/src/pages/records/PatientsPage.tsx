import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useWaitForClinics } from '../../clinics/requests.ts';
import { Pager } from '../../components/lists/Pager.tsx';
import { usePage } from '../../components/lists/page.ts';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Empty } from '../../components/states/Empty.tsx';
import { RefreshButton } from '../../components/states/RefreshButton.tsx';
import { describe } from './descriptions.ts';
import { type Found, REFUSED, useFoundPatients } from './found-patients.ts';
import { useKeptSearch } from './kept-search.ts';
import { NoPatient } from './NoPatient.tsx';
import { NoRecord } from './NoRecord.tsx';
import { PatientSearch } from './PatientSearch.tsx';
import { RecordFilters } from './RecordFilters.tsx';
import { RecordTable } from './RecordTable.tsx';
import { recordsQuery } from './requests.ts';
import { isEverybody, type RecordSearch } from './search.ts';

/** What the page says before a search. */
const NobodyYet = () => (
  <Empty isFiltered title="Search for a patient">
    <p>Enter a name, a phone number, an e-mail address or an id. The audit log keeps whom you find.</p>
    <p>
      <Link to="/records/$kind" params={{ kind: 'patients' }} search={(kept) => ({ ...kept, view: 'list' })}>
        List all patients
      </Link>
    </p>
  </Empty>
);

/** Whether the list has filters besides the text of the search. */
const isFilteredBy = ({ clinicId, updatedSince }: RecordSearch): boolean =>
  clinicId !== undefined || updatedSince !== undefined;

type PartProps = {
  search: RecordSearch;
  /** Shows another page of the list. @param cursor undefined for the first page */
  onPage(cursor: string | undefined): void;
};

/** The results of a search. */
const FoundList = ({
  search,
  found,
  results,
  onPage,
}: PartProps & { found: Found; results: ReturnType<typeof useFoundPatients> }) => {
  const { query, progress } = results;
  const page = usePage(query, useWaitForClinics());
  return (
    <>
      <RecordTable
        // While a search is waiting for rows, the wait begins anew with each page of the api.
        key={page === undefined ? progress?.pages : undefined}
        kind="patients"
        isZoneNamed
        query={query}
        records={page?.data}
        empty={
          <NoPatient
            search={found.search}
            isFiltered={isFilteredBy(search)}
            isSoFar={page?.nextCursor !== undefined}
          />
        }
      />
      <Pager
        isFirst={found.cursor === undefined}
        page={page}
        order={describe('patients').order}
        onFirst={() => onPage(undefined)}
        onNext={onPage}
      />
    </>
  );
};

/** All patients, in the order of the api. */
const EverybodyList = ({ search, onPage }: PartProps) => {
  const query = useQuery(recordsQuery('patients', search));
  const page = usePage(query, useWaitForClinics());
  const order = search.updatedSince === undefined ? describe('patients').order : 'the earliest change first';
  return (
    <>
      <RecordTable
        kind="patients"
        isZoneNamed
        query={query}
        records={page?.data}
        empty={
          <NoRecord
            kind="patients"
            isFiltered={isFilteredBy(search)}
            isSoFar={page?.nextCursor !== undefined}
          />
        }
      />
      <Pager
        isFirst={search.cursor === undefined}
        page={page}
        order={order}
        onFirst={() => onPage(undefined)}
        onNext={onPage}
      />
    </>
  );
};

/**
 * The patients of the practice. Nobody is listed before a search, because the audit log keeps whom a list names. What is
 * entered is there again after the way back from a patient.
 */
export const PatientsPage = () => {
  const search = useSearch({ from: '/signed-in/records/$kind' });
  const navigate = useNavigate({ from: '/records/$kind' });
  const { entered, shown, change } = useKeptSearch();
  const found = shown === REFUSED ? undefined : shown;
  const results = useFoundPatients(found, search);
  // A cursor is valid only for its filters, so a change of a filter removes it.
  const filter = (filters: RecordSearch) => {
    if (found !== undefined) change({ shown: { ...found, cursor: undefined } });
    void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, ...filters }) });
  };
  const isListed = shown === undefined && isEverybody(search);
  return (
    <>
      <PageHeading
        note="From the practice system, read-only."
        actions={found !== undefined && <RefreshButton query={results.query} />}
      >
        Patients
      </PageHeading>
      <RecordFilters kind="patients" search={search} onChange={filter}>
        <PatientSearch
          results={shown && { ...results, isFirst: found?.cursor === undefined }}
          entered={entered}
          onEnter={(text) => change({ entered: text })}
          onChange={(wanted) => change({ shown: wanted && { search: wanted, cursor: undefined } })}
          // Without a search before, the message at the field suffices.
          onRefuse={() => change({ shown: shown && REFUSED })}
        />
      </RecordFilters>
      {shown === REFUSED && (
        <Empty isFiltered title="Nothing was searched.">
          <p>Enter something else.</p>
        </Empty>
      )}
      {found !== undefined && (
        <FoundList
          search={search}
          found={found}
          results={results}
          onPage={(cursor) => change({ shown: { ...found, cursor } })}
        />
      )}
      {isListed && (
        <EverybodyList
          search={search}
          onPage={(cursor) => void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, cursor }) })}
        />
      )}
      {shown === undefined && !isListed && <NobodyYet />}
    </>
  );
};
