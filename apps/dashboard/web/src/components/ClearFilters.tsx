import { useNavigate } from '@tanstack/react-router';
import { Button } from 'react-aria-components';

/**
 * A button that removes all filters of the list, and nothing while it has none.
 *
 * @param props.search what is in the address
 */
export const ClearFilters = ({ search }: { search: Readonly<Record<string, unknown>> }) => {
  const navigate = useNavigate();
  const { cursor: _, ...filters } = search;
  if (Object.values(filters).every((value) => value === undefined)) return null;
  return (
    <Button
      onPress={({ target }) => {
        // This button disappears, and would take the focus with it.
        target.closest('fieldset')?.querySelector('select')?.focus();
        void navigate({ to: '.', search: {} });
      }}
    >
      Clear filters
    </Button>
  );
};
