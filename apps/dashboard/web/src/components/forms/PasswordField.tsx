import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Field } from './Field.tsx';

/** A field for a password, which a password manager may fill in, with a button that shows what was typed. */
export const PasswordField = ({
  label = 'Password',
  name = 'password',
  autoComplete = 'current-password',
  ...props
}: {
  label?: string;
  name?: string;
  autoComplete?: 'current-password' | 'new-password';
  description?: string;
  minLength?: number;
  autoFocus?: boolean;
  value: string;
  onChange(value: string): void;
}) => {
  const [isShown, setShown] = useState(false);
  return (
    <Field
      {...props}
      label={label}
      name={name}
      type={isShown ? 'text' : 'password'}
      autoComplete={autoComplete}
      isRequired
      after={
        <Button className="subtle compact" onPress={() => setShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'}
          <span className="hidden"> {label.toLowerCase()}</span>
        </Button>
      }
    />
  );
};
