import { Button } from 'react-aria-components';
import { PAGE_SIZE } from '../../api/page-size.ts';
import { countText } from '../../components/texts/numbers.ts';
import type { FoundPatients } from '../../records/patients.ts';
import type { Progress } from './found-patients.ts';

/** The field of the search, which gets the focus before a button disappears. */
const FIELD = '.filters .search input';
const focusField = () => document.querySelector<HTMLElement>(FIELD)?.focus();

const countOf = ({ data, nextCursor }: FoundPatients, isFirst: boolean): string => {
  const count = countText(data.length);
  if (isFirst && nextCursor === undefined) return `${count} found`;
  return nextCursor !== undefined && data.length < PAGE_SIZE ? `${count} so far` : `${count} on this page`;
};

/**
 * How many patients a search has found. One button ends the search while it takes more than one page of the api, another
 * one removes it.
 */
export const FoundCount = ({
  isFirst,
  query,
  progress,
  stop,
  onRemove,
}: {
  /** Whether this is the first page of the results. */
  isFirst: boolean;
  query: { data: FoundPatients | undefined };
  progress: Progress | undefined;
  stop(): void;
  onRemove(): void;
}) => (
  <div className="found">
    <p role="status">
      {progress !== undefined
        ? `Searching… ${countText(progress.found)} so far`
        : query.data !== undefined && countOf(query.data, isFirst)}
    </p>
    {progress !== undefined && (
      <Button
        className="compact"
        onPress={() => {
          focusField();
          stop();
        }}
      >
        Stop
      </Button>
    )}
    <Button
      className="compact"
      onPress={() => {
        focusField();
        onRemove();
      }}
    >
      Clear
    </Button>
  </div>
);
