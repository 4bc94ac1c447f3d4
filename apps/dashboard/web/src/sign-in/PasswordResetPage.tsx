import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { ActionForm } from '../components/forms/ActionForm.tsx';
import { Field } from '../components/forms/Field.tsx';
import { FormEnd } from '../components/forms/FormEnd.tsx';
import { NewPasswordField } from '../components/forms/NewPasswordField.tsx';
import { PageHeading } from '../components/page-parts/PageHeading.tsx';
import { PlainPage } from '../components/page-parts/PlainPage.tsx';
import { expectEnd } from '../session/prompts.ts';
import { completeReset, mailQuery, requestReset } from './requests.ts';

const RequestForm = () => {
  const [email, setEmail] = useState('');
  const request = useMutation({ mutationFn: () => requestReset(email) });
  return (
    <ActionForm request={request}>
      <Field
        label="E-mail"
        name="email"
        type="email"
        autoComplete="username"
        autoFocus
        isRequired
        maxLength={320}
        value={email}
        onChange={setEmail}
      />
      <FormEnd
        {...(request.isSuccess && {
          message: (
            <p role="status">
              If you sign in with this address, a mail with a link is on its way. The link works for 30
              minutes. No mail? Wait five minutes before you request another one.
            </p>
          ),
        })}
      >
        <Button type="submit" className="primary" isPending={request.isPending}>
          Mail me a link
        </Button>
      </FormEnd>
    </ActionForm>
  );
};

const CompleteForm = ({ secret }: { secret: string }) => {
  const navigate = useNavigate();
  const [password, setPassword] = useState('');
  const request = useMutation({
    async mutationFn() {
      await completeReset(secret, password);
      expectEnd({ message: 'Your password is changed. Sign in with the new one.', email: '' });
      // Going back must not lead to the used link.
      await navigate({ to: '/sign-in', replace: true });
    },
  });
  return (
    <ActionForm request={request}>
      <NewPasswordField label="New password" name="password" value={password} onChange={setPassword} />
      <FormEnd>
        <Button type="submit" className="primary" isPending={request.isPending}>
          Set password
        </Button>
      </FormEnd>
    </ActionForm>
  );
};

const NoMail = () => (
  <p>This service sends no mail. Ask an administrator of your practice to set a new password.</p>
);

/**
 * The page of a forgotten password: without a fragment in its address, it requests a link; with one, which is the secret
 * of a mailed link, a new password is chosen. Opening the page uses nothing up.
 */
export const PasswordResetPage = () => {
  const { hash } = useLocation();
  const { data: mail = true } = useQuery(mailQuery);
  if (hash !== '')
    return (
      <PlainPage>
        <PageHeading note="This ends all your sessions, and disconnects your program tokens and connected apps.">
          Choose a new password
        </PageHeading>
        <CompleteForm key={hash} secret={hash} />
      </PlainPage>
    );
  return (
    <PlainPage>
      <PageHeading>Forgot your password?</PageHeading>
      {mail ? <RequestForm /> : <NoMail />}
      <p className="small">
        <Link to="/sign-in">Back to the sign-in</Link>
      </p>
    </PlainPage>
  );
};
