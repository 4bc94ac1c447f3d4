import { Field } from '../../components/forms/Field.tsx';

type FieldProps = { value: string; onChange(value: string): void };

/** The e-mail address of an operator. No password manager fills in the address of the administrator. */
export const EmailField = (props: FieldProps) => (
  <Field {...props} label="E-mail" name="email" type="email" autoComplete="off" isRequired maxLength={320} />
);

export const NameField = (props: FieldProps) => (
  <Field {...props} label="Name" name="name" description="Optional." autoComplete="off" maxLength={200} />
);
