import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from 'react-aria-components';
import './Filters.css';

/** The query of the address of the page. */
type Search = Readonly<Record<string, unknown>>;

/** A button that removes all filters of the list. It is not shown while the list has no filter. */
const ClearFilters = ({ search }: { search: Search }) => {
  const navigate = useNavigate();
  const { cursor: _, ...filters } = search;
  if (Object.values(filters).every((value) => value === undefined)) return null;
  return (
    <Button
      onPress={({ target }) => {
        // This button disappears, so the focus moves to another element first.
        target.closest('fieldset')?.querySelector('select')?.focus();
        void navigate({ to: '.', search: {} });
      }}
    >
      Clear filters
    </Button>
  );
};

/** The filters of a list, with a button that removes them. */
export const Filters = ({ search, children }: { search: Search; children: ReactNode }) => (
  <fieldset className="filters">
    <legend className="hidden">Filters</legend>
    {children}
    <ClearFilters search={search} />
  </fieldset>
);
