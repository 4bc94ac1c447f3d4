import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useClinicFilter } from '../clinics/clinic-filter.ts';
import { isDay } from '../clinics/days.ts';
import { useCommonZone, useWaitForClinics } from '../clinics/requests.ts';
import { Snippet } from '../components/CopyText.tsx';
import { Empty } from '../components/Empty.tsx';
import { Filters } from '../components/Filters.tsx';
import { PageHeading } from '../components/PageHeading.tsx';
import { Pager } from '../components/Pager.tsx';
import { RefreshButton } from '../components/RefreshButton.tsx';
import { Segments } from '../components/Segments.tsx';
import { MissingPage } from '../layout/MissingPage.tsx';
import { isKind, type Kind } from '../record-kinds.ts';
import { DaySheet } from './DaySheet.tsx';
import { describe, isClinicTime } from './descriptions.ts';
import { type Found, useFoundPatients } from './found-patients.ts';
import { NoPatient } from './NoPatient.tsx';
import { PatientSearch } from './PatientSearch.tsx';
import { RecordFilters } from './RecordFilters.tsx';
import { RecordTable } from './RecordTable.tsx';
import { recordsQuery } from './requests.ts';
import { isList, type RecordSearch } from './search.ts';

const VIEWS = [
  { value: 'day', label: 'Day' },
  { value: 'list', label: 'List' },
];

/** Chooses between the day sheet and the list of appointments. */
const View = ({ search }: { search: RecordSearch }) => {
  const navigate = useNavigate({ from: '/records/$kind' });
  return (
    <Segments
      label="View"
      value={isList(search) ? 'list' : 'day'}
      choices={VIEWS}
      onChange={(view) =>
        void navigate({
          search: ({ clinicId }) => ({
            ...(clinicId !== undefined && { clinicId }),
            ...(view === 'list' && { view }),
          }),
        })
      }
    />
  );
};

const AppointmentsOfDay = ({ search }: { search: RecordSearch }) => {
  const navigate = useNavigate({ from: '/records/$kind' });
  const clinic = useClinicFilter(search.clinicId, true);
  const show = (change: RecordSearch) => void navigate({ search: (kept) => ({ ...kept, ...change }) });
  return (
    <>
      <PageHeading actions={<View search={search} />}>Appointments</PageHeading>
      <Filters search={{ clinicId: search.clinicId }} filters={[clinic]} onChange={show} />
      <DaySheet
        day={isDay(search.day) ? search.day : undefined}
        clinicId={search.clinicId}
        onDay={(day) => show({ day })}
      />
    </>
  );
};

const RecordList = ({ kind }: { kind: Kind }) => {
  const search = useSearch({ from: '/signed-in/records/$kind' });
  const navigate = useNavigate({ from: '/records/$kind' });
  const [found, setFound] = useState<Found>();
  const { columns, many, one } = describe(kind);
  const zone = useCommonZone(search.clinicId);
  const { cursor } = found ?? search;
  const all = useQuery({ ...recordsQuery(kind, search), enabled: found === undefined });
  const results = useFoundPatients(found, search);
  const list = found === undefined ? all : results.query;
  const waits = useWaitForClinics();
  // A cursor is valid only for its filters, so a change of a filter removes it.
  const filter = (change: RecordSearch) => {
    if (found !== undefined) setFound({ ...found, cursor: undefined });
    void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, ...change }) });
  };
  const go = (cursor: string | undefined) => {
    if (found !== undefined) return setFound({ ...found, cursor });
    void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, cursor }) });
  };
  const isFiltered = Object.entries(search).some(
    ([name, value]) => name !== 'view' && name !== 'cursor' && value !== undefined,
  );
  const { data } = list;
  return (
    <>
      <PageHeading
        {...(zone !== undefined &&
          columns.some(({ field }) => isClinicTime(field)) && { note: `Times of ${zone}` })}
        actions={
          <>
            {kind === 'appointments' && <View search={search} />}
            <RefreshButton query={list} />
          </>
        }
      >
        {many}
      </PageHeading>
      <RecordFilters kind={kind} search={search} onChange={filter}>
        {kind === 'patients' ? (
          <PatientSearch
            results={found && { ...results, isFirst: cursor === undefined }}
            onChange={(wanted) =>
              setFound(wanted === undefined ? undefined : { search: wanted, cursor: undefined })
            }
          />
        ) : undefined}
      </RecordFilters>
      <RecordTable
        // While a search is waiting for rows, the wait begins anew with each page of the api.
        key={data === undefined ? results.progress?.pages : undefined}
        kind={kind}
        isZoneNamed={zone === undefined}
        query={list}
        records={waits ? undefined : data?.data}
        empty={
          found !== undefined ? (
            <NoPatient
              by={found.search.by}
              isFiltered={isFiltered}
              isSoFar={data?.nextCursor !== undefined}
            />
          ) : (
            <Empty
              isFiltered={isFiltered}
              title={data?.nextCursor === undefined ? 'No record matches.' : 'No record matches so far.'}
            >
              {!isFiltered && (
                <>
                  <p>Records come in through the API, or with the import of chairside-admin.</p>
                  <Snippet title="Import a file">{`chairside-admin import ${one.toLowerCase()} ${kind}.ndjson`}</Snippet>
                </>
              )}
            </Empty>
          )
        }
      />
      {!waits && (
        <Pager
          isFirst={cursor === undefined}
          page={data}
          order="in the order of the API"
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
  const search = useSearch({ from: '/signed-in/records/$kind' });
  if (!isKind(kind)) return <MissingPage />;
  if (kind === 'appointments' && !isList(search)) return <AppointmentsOfDay search={search} />;
  // The key discards the state of a search when another kind is opened.
  return <RecordList key={kind} kind={kind} />;
};
