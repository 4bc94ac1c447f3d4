import { type KeyboardEvent, useState } from 'react';
import { Button } from 'react-aria-components';
import { Field } from './Field.tsx';

/**
 * A field for a password, which a password manager may fill in, with a button that shows what was typed. It says when
 * Caps Lock is on.
 */
export const PasswordField = ({
  label = 'Password',
  name = 'password',
  autoComplete = 'current-password',
  description,
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
  const [isCapital, setCapital] = useState(false);
  const look = (event: KeyboardEvent) => setCapital(event.getModifierState('CapsLock'));
  return (
    <Field
      {...props}
      label={label}
      name={name}
      type={isShown ? 'text' : 'password'}
      autoComplete={autoComplete}
      description={<span role="status">{isCapital ? 'Caps Lock is on.' : description}</span>}
      onKeyDown={look}
      onKeyUp={look}
      onBlur={() => setCapital(false)}
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
