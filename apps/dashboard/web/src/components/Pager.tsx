import { Button } from 'react-aria-components';

/** The buttons of a list in pages. The list knows where the next page begins, but not how many pages there are. */
export const Pager = ({
  isFirst,
  next,
  onFirst,
  onNext,
}: {
  isFirst: boolean;
  next: string | undefined;
  onFirst(): void;
  onNext(cursor: string): void;
}) => {
  if (isFirst && next === undefined) return null;
  return (
    <nav aria-label="Pages" className="buttons">
      <Button isDisabled={isFirst} onPress={onFirst}>
        First page
      </Button>
      <Button isDisabled={next === undefined} onPress={() => next !== undefined && onNext(next)}>
        Next page
      </Button>
    </nav>
  );
};
