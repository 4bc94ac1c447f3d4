import { useNavigate } from '@tanstack/react-router';
import { Plus, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import type { Choice } from '../forms/Field.tsx';
import { Menu } from '../menus/Menu.tsx';
import './Filters.css';

/** A filter of a list. */
export type Filter = {
  /** Its name in the address. */
  name: string;
  label: string;
  /** The label of the entry without a value. */
  any: string;
  value: string | undefined;
  choices: readonly Choice[];
  /** Whether it is always shown, because most people use it. */
  isPinned?: boolean;
};

type Change = Readonly<Record<string, string | undefined>>;

const Pill = ({
  filter,
  isNew,
  onChange,
  onRemove,
}: {
  filter: Filter;
  isNew: boolean;
  onChange(value: string | undefined): void;
  onRemove(): void;
}) => {
  const select = useRef<HTMLSelectElement>(null);
  useEffect(() => {
    if (isNew) select.current?.focus();
  }, [isNew]);
  const { label, value, any, choices } = filter;
  return (
    <span className={value === undefined ? 'pill' : 'pill on'}>
      <label>
        <span aria-hidden="true">{label}:</span>
        <select
          ref={select}
          aria-label={label}
          value={value ?? ''}
          onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
        >
          <option value="">{any}</option>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
          {/* What was deleted is no choice, but the address may have it, and the list is filtered by it. */}
          {value !== undefined && !choices.some((choice) => choice.value === value) && (
            <option value={value}>{value}</option>
          )}
        </select>
      </label>
      {(!filter.isPinned || value !== undefined) && (
        <Button className="subtle remove" aria-label={`Remove the filter ${label}`} onPress={onRemove}>
          <X aria-hidden="true" />
        </Button>
      )}
    </span>
  );
};

/**
 * The filters of a list in one line: the searches and periods of `children`, the set filters, a menu that adds one, and
 * a button that removes all.
 *
 * @param props.search the filters in the address, which "Clear filters" removes
 * @param props.kept what "Clear filters" keeps in the address
 */
export const Filters = ({
  search,
  kept = {},
  filters,
  onChange,
  children,
}: {
  search: Readonly<Record<string, unknown>>;
  kept?: Readonly<Record<string, string | undefined>>;
  filters: readonly Filter[];
  onChange(change: Change): void;
  children?: ReactNode;
}) => {
  const navigate = useNavigate();
  const [added, setAdded] = useState<readonly string[]>([]);
  const line = useRef<HTMLFieldSetElement>(null);
  const isShown = ({ name, value, isPinned }: Filter) =>
    isPinned || value !== undefined || added.includes(name);
  const { cursor: _, ...set } = search;
  const isFiltered = Object.values(set).some((value) => value !== undefined);
  const absent = filters.filter((filter) => !isShown(filter));
  /** The button that was pressed disappears, so the focus moves to another element first. */
  const keepFocus = () => {
    const fields = line.current;
    (fields?.querySelector<HTMLElement>('.add') ?? fields?.querySelector('select'))?.focus();
  };
  return (
    <fieldset ref={line} className="filters">
      <legend className="hidden">Filters</legend>
      {children}
      {filters.filter(isShown).map((filter) => (
        <Pill
          key={filter.name}
          filter={filter}
          isNew={filter.value === undefined && added.at(-1) === filter.name}
          onChange={(value) => onChange({ [filter.name]: value })}
          onRemove={() => {
            keepFocus();
            setAdded(added.filter((name) => name !== filter.name));
            if (filter.value !== undefined) onChange({ [filter.name]: undefined });
          }}
        />
      ))}
      {absent.length > 0 && (
        <Menu
          label="Add filter"
          button={
            <Button className="subtle add">
              <Plus aria-hidden="true" />
              Add filter
            </Button>
          }
          actions={absent.map(({ name, label }) => ({
            id: name,
            name: label,
            act: () => setAdded([...added, name]),
          }))}
        />
      )}
      {isFiltered && (
        <Button
          className="subtle link"
          onPress={() => {
            keepFocus();
            setAdded([]);
            void navigate({ to: '.', search: kept });
          }}
        >
          Clear filters
        </Button>
      )}
    </fieldset>
  );
};
