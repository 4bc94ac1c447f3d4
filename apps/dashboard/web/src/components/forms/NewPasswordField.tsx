import { PasswordField } from './PasswordField.tsx';

/** The shortest password that the api accepts, in characters. */
const MIN_LENGTH = 12;

/** A field in which operators choose a password. A password manager offers to make one. */
export const NewPasswordField = (props: {
  label: string;
  name: string;
  value: string;
  onChange(value: string): void;
}) => (
  <PasswordField
    {...props}
    autoComplete="new-password"
    minLength={MIN_LENGTH}
    description={`At least ${MIN_LENGTH} characters, and hard to guess.`}
  />
);
