import { Button } from 'react-aria-components';
import { PAGE_SIZE } from '../../api/page-size.ts';
import './Pager.css';

/** The end of a list in pages. The list knows where the next page begins, but not how many pages there are. */
export const Pager = ({
  isFirst,
  page,
  order = 'newest first',
  onFirst,
  onNext,
}: {
  isFirst: boolean;
  page: { data: readonly unknown[]; nextCursor?: string | undefined } | undefined;
  order?: string;
  onFirst(): void;
  onNext(cursor: string): void;
}) => {
  const next = page?.nextCursor;
  // A page that cannot be read, such as that of an old link, still has the way to the first one.
  if (isFirst && next === undefined) return null;
  return (
    <nav aria-label="Pages" className="pager">
      {/* The api stops after it has examined many rows, although there may be more matches. */}
      {next !== undefined && (page?.data.length ?? 0) < PAGE_SIZE ? (
        <p role="status">There are many rows, and not all were searched. “Next page” continues the search.</p>
      ) : (
        <p>
          {PAGE_SIZE} a page, {order}
        </p>
      )}
      <div className="buttons">
        <Button className="compact" isDisabled={isFirst} onPress={onFirst}>
          First page
        </Button>
        <Button
          className="compact"
          isDisabled={next === undefined}
          onPress={() => next !== undefined && onNext(next)}
        >
          Next page
        </Button>
      </div>
    </nav>
  );
};
