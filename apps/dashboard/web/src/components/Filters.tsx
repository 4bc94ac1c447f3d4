import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from 'react-aria-components';
import './Filters.css';

/** What is in the address. */
type Search = Readonly<Record<string, unknown>>;

/** A button that removes all filters of the list, and nothing while it has none. */
const ClearFilters = ({ search }: { search: Search }) => {
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

/** The filters of a list, with a button that removes them. */
export const Filters = ({ search, children }: { search: Search; children: ReactNode }) => (
  <fieldset className="filters">
    <legend className="hidden">Filters</legend>
    {children}
    <ClearFilters search={search} />
  </fieldset>
);
