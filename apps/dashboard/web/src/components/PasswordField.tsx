import { Field } from './Field.tsx';

/** The field for the current password of the operator, which a password manager may fill in. */
export const PasswordField = ({
  label = 'Password',
  ...props
}: {
  label?: string;
  autoFocus?: boolean;
  value: string;
  onChange(value: string): void;
}) => (
  <Field
    {...props}
    label={label}
    name="password"
    type="password"
    autoComplete="current-password"
    isRequired
  />
);
