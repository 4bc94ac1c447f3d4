import { ChairsideError } from '@chairside/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { signIn } from '../api/session-calls.ts';
import { Field } from '../components/Field.tsx';
import { PasswordField } from '../components/PasswordField.tsx';
import { Problem } from '../components/Problem.tsx';
import { useCountdown } from '../components/use-countdown.ts';

/**
 * The form with e-mail address and password. It shows why a sign-in was refused, and after too many tries the seconds
 * to wait.
 */
export const SignInForm = ({ onSignedIn }: { onSignedIn(): void }) => {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const request = useMutation({
    mutationFn: () => signIn(email, password),
    onSuccess() {
      setPassword('');
      onSignedIn();
    },
  });
  const refusal = request.error instanceof ChairsideError ? request.error : undefined;
  const wait = useCountdown(refusal?.status === 429 ? refusal.retryAfter : undefined, refusal);
  return (
    <Form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (wait === 0) request.mutate();
      }}
    >
      {refusal?.status === 429 ? (
        <div role="alert" className="problem">
          <p>
            {wait > 0
              ? `Too many sign-ins. Try again in ${wait} ${wait === 1 ? 'second' : 'seconds'}.`
              : 'Try again now.'}
          </p>
        </div>
      ) : (
        <Problem error={request.error} />
      )}
      <Field
        label="E-mail"
        name="email"
        type="email"
        autoComplete="username"
        isRequired
        value={email}
        onChange={setEmail}
      />
      <PasswordField value={password} onChange={setPassword} />
      <Button type="submit" className="primary" isPending={request.isPending} isDisabled={wait > 0}>
        Sign in
      </Button>
    </Form>
  );
};
