import { useId } from 'react';
import type { Choice } from './Field.tsx';
import './Segments.css';

/** A choice of one of a few values side by side: a group of radio buttons. */
export const Segments = ({
  label,
  value,
  choices,
  onChange,
}: {
  label: string;
  value: string;
  choices: readonly Choice[];
  onChange(value: string): void;
}) => {
  const name = useId();
  return (
    <fieldset className="segments">
      <legend className="hidden">{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value}>
          <input
            type="radio"
            className="hidden"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          {choice.label}
        </label>
      ))}
    </fieldset>
  );
};
