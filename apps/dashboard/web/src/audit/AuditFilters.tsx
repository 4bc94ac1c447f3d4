import { Choose } from '../components/Field.tsx';
import { IdFilter } from '../components/IdFilter.tsx';
import { TimeRange } from '../components/TimeRange.tsx';
import { ACTIONS, KINDS, type Principals } from './requests.ts';
import type { AuditSearch } from './search.ts';

const choicesOf = (entries: Iterable<readonly [string, string]>) =>
  Array.from(entries, ([value, label]) => ({ value, label }));

/** The filters of the audit log. They are in the address, the principals by their ids. */
export const AuditFilters = ({
  search,
  principals,
  onChange,
}: {
  search: AuditSearch;
  principals: Principals;
  onChange(change: AuditSearch): void;
}) => (
  <>
    <fieldset className="filters">
      <legend className="hidden">Filters</legend>
      <Choose
        label="Operator or key"
        any="Everyone"
        value={search.principalId}
        choices={choicesOf(
          search.principalId === undefined || principals.has(search.principalId)
            ? principals
            : [...principals, [search.principalId, search.principalId]],
        )}
        onChange={(principalId) => onChange({ principalId })}
      />
      <Choose
        label="Kind"
        any="All kinds"
        value={search.kind}
        choices={choicesOf(Object.entries(KINDS))}
        onChange={(kind) => onChange({ kind })}
      />
      <Choose
        label="Action"
        any="All actions"
        value={search.action}
        choices={choicesOf(Object.entries(ACTIONS))}
        onChange={(action) => onChange({ action })}
      />
    </fieldset>
    <IdFilter
      key={search.recordId ?? ''}
      label="Record id"
      value={search.recordId}
      onChange={(recordId) => onChange({ recordId })}
    />
    <TimeRange
      label="Time"
      value={{ since: search.since, until: search.until }}
      onChange={({ since, until }) => onChange({ since, until })}
    />
  </>
);
