import { ChairsideError } from '@chairside/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { answerChallenge, signIn } from '../api/session-calls.ts';
import { ActionForm } from '../components/forms/ActionForm.tsx';
import { Field } from '../components/forms/Field.tsx';
import { FormEnd } from '../components/forms/FormEnd.tsx';
import { PasswordField } from '../components/forms/PasswordField.tsx';
import { useCountdown } from '../components/texts/use-countdown.ts';
import { withFactor } from '../session/factor.ts';
import { PasskeySignIn } from './PasskeySignIn.tsx';

const TooMany = ({ wait }: { wait: number }) => (
  <p role="alert" className="bad">
    {wait > 0
      ? `Too many sign-ins. Try again in ${wait} ${wait === 1 ? 'second' : 'seconds'}.`
      : 'Try again now.'}
  </p>
);

/**
 * The form with e-mail address and password. It shows why a sign-in was refused, and after too many tries the seconds
 * to wait.
 *
 * @param props.known the e-mail address of the operator who was signed in
 * @param props.onSignedIn continues after the sign-in. The form shows its failure, too
 */
export const SignInForm = ({ known = '', onSignedIn }: { known?: string; onSignedIn(): Promise<void> }) => {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const request = useMutation({
    async mutationFn() {
      await withFactor((answer) =>
        answer === undefined ? signIn(email, password) : answerChallenge(answer),
      );
      setPassword('');
      await onSignedIn();
    },
  });
  const refusal = request.error instanceof ChairsideError ? request.error : undefined;
  const wait = useCountdown(refusal?.status === 429 ? refusal.retryAfter : undefined, refusal);
  return (
    <ActionForm request={request} isReady={wait === 0}>
      <Field
        label="E-mail"
        name="email"
        type="email"
        autoComplete="username"
        autoFocus={known === ''}
        isRequired
        value={email}
        onChange={setEmail}
      />
      <PasswordField autoFocus={known !== ''} value={password} onChange={setPassword} />
      <FormEnd {...(refusal?.status === 429 && { message: <TooMany wait={wait} /> })}>
        <Button type="submit" className="primary" isPending={request.isPending} isDisabled={wait > 0}>
          Sign in
        </Button>
        <PasskeySignIn onSignedIn={onSignedIn} />
      </FormEnd>
    </ActionForm>
  );
};
