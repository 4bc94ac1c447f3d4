import { FieldError, Input, Label, Text, TextField, type TextFieldProps } from 'react-aria-components';
import './Field.css';

/** A text field with its label, a description and the error of the last refusal. */
export const Field = ({
  label,
  description,
  placeholder,
  ...props
}: TextFieldProps & { label: string; description?: string; placeholder?: string }) => (
  <TextField {...props} className="field">
    <Label>{label}</Label>
    <Input {...(placeholder !== undefined && { placeholder })} />
    {description !== undefined && <Text slot="description">{description}</Text>}
    <FieldError />
  </TextField>
);

export type Choice = { value: string; label: string };

/** Turns labels by value into the choices of a select. */
export const choicesOf = (labels: Readonly<Record<string, string>>): Choice[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** A native select, which works with assistive technology and on small screens. */
export const Select = ({
  label,
  value,
  choices,
  any,
  onChange,
}: {
  label: string;
  value: string | undefined;
  choices: readonly Choice[];
  /** The label of the entry that selects no value. Without it, one of the choices must be selected. */
  any?: string;
  onChange(value: string | undefined): void;
}) => (
  <label className="field">
    <span>{label}</span>
    <select
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
    >
      {any !== undefined && <option value="">{any}</option>}
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  </label>
);
