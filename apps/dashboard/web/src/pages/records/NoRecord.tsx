import { Empty } from '../../components/states/Empty.tsx';
import { HowRecordsCome } from '../../records/HowRecordsCome.tsx';
import type { Kind } from '../../records/kinds.ts';

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
    {!isFiltered && <HowRecordsCome kind={kind} />}
  </Empty>
);
