import { Empty } from '../../components/states/Empty.tsx';
import { hasShortWord, type PatientSearch, SHORT_HINT } from '../../records/patient-search.ts';

/** What a person can try after a search without results. */
const TRY: Readonly<Record<PatientSearch['by'], string>> = {
  name: 'A name is found by the beginnings of its words. Enter fewer letters, only one of the names, or the phone number.',
  phone: 'A number is found by its last eight digits. Enter only the last six digits, or the name.',
  email: 'An e-mail address must be complete. Check its spelling, or enter the name.',
};

/** Says that no patient was found, and what to try. */
export const NoPatient = ({
  search,
  isFiltered,
  isSoFar,
}: {
  search: PatientSearch;
  /** Whether the list has other filters. */
  isFiltered: boolean;
  /** Whether more patients can be searched. */
  isSoFar: boolean;
}) => (
  <Empty isFiltered title={isSoFar ? 'No patient found so far.' : 'No patient found.'}>
    <p>
      {isSoFar ? 'Enter more of what you look for, so that fewer patients are searched.' : TRY[search.by]}
    </p>
    {hasShortWord(search) && <p>{SHORT_HINT}</p>}
    {isFiltered && <p>Only patients that match the filters are searched.</p>}
  </Empty>
);
