import { Search as SearchIcon } from 'lucide-react';
import { useId } from 'react';
import { Button } from 'react-aria-components';
import './Filters.css';

/**
 * A search field with its button. The label is also the placeholder.
 *
 * @param props.onSubmit without it, the list follows what is typed, and there is no button
 */
export const Search = ({
  label,
  submit = 'Find',
  value,
  maxLength = 128,
  isPending = false,
  inputMode = 'text',
  onChange,
  onSubmit,
}: {
  label: string;
  submit?: string;
  value: string;
  maxLength?: number;
  isPending?: boolean;
  inputMode?: 'text' | 'email';
  onChange(value: string): void;
  onSubmit?: () => void;
}) => {
  const id = useId();
  return (
    <form
      className="search"
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit?.();
      }}
    >
      <label htmlFor={id} className="hidden">
        {label}
      </label>
      <div className="field">
        <div className="input">
          <SearchIcon aria-hidden="true" />
          <input
            id={id}
            type={onSubmit === undefined ? 'search' : 'text'}
            inputMode={inputMode}
            autoComplete="off"
            placeholder={label}
            maxLength={maxLength}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
          {onSubmit !== undefined && (
            <Button type="submit" className="subtle compact" isPending={isPending}>
              {submit}
            </Button>
          )}
        </div>
      </div>
    </form>
  );
};
