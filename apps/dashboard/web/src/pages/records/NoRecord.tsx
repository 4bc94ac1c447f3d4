import { Empty } from '../../components/states/Empty.tsx';
import { Snippet } from '../../components/texts/CopyText.tsx';
import type { Kind } from '../../records/kinds.ts';
import { describe } from './descriptions.ts';

/** Says that a list has no record, and how records come in. */
export const NoRecord = ({
  kind,
  isFiltered,
  isSoFar,
}: {
  kind: Kind;
  isFiltered: boolean;
  /** Whether further pages may have some. */
  isSoFar: boolean;
}) => (
  <Empty isFiltered={isFiltered} title={isSoFar ? 'No record matches so far.' : 'No record matches.'}>
    {!isFiltered && (
      <>
        <p>Records come in through the API, or with the import of chairside-admin.</p>
        <Snippet title="Import a file">
          {`chairside-admin import ${describe(kind).one.toLowerCase()} ${kind}.ndjson`}
        </Snippet>
      </>
    )}
  </Empty>
);
