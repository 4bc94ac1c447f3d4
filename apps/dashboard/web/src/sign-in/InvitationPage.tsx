import { useMutation } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { ActionForm } from '../components/forms/ActionForm.tsx';
import { Field } from '../components/forms/Field.tsx';
import { FormEnd } from '../components/forms/FormEnd.tsx';
import { NewPasswordField } from '../components/forms/NewPasswordField.tsx';
import { PageHeading } from '../components/page-parts/PageHeading.tsx';
import { PlainPage } from '../components/page-parts/PlainPage.tsx';
import { expectEnd } from '../session/prompts.ts';
import { acceptInvitation } from './requests.ts';

const AcceptForm = ({ secret }: { secret: string }) => {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const request = useMutation({
    async mutationFn() {
      const email = await acceptInvitation({ secret, name, password });
      expectEnd({ message: 'You have accepted the invitation. Sign in with your new password.', email });
      // Going back must not lead to the used link.
      await navigate({ to: '/sign-in', replace: true });
    },
  });
  return (
    <ActionForm request={request}>
      <Field
        label="Name"
        name="name"
        autoComplete="name"
        description="Optional. Your colleagues see it."
        maxLength={200}
        value={name}
        onChange={setName}
      />
      <NewPasswordField label="Password" name="password" value={password} onChange={setPassword} />
      <FormEnd>
        <Button type="submit" className="primary" isPending={request.isPending}>
          Accept
        </Button>
      </FormEnd>
    </ActionForm>
  );
};

/**
 * The page that the link of an invitation leads to. The secret is the fragment of its address. Opening the page uses
 * nothing up, so that programs that look at mailed links cannot end an invitation.
 */
export const InvitationPage = () => {
  const { hash } = useLocation();
  return (
    <PlainPage>
      <PageHeading note="Choose a password, and then sign in with it.">Accept the invitation</PageHeading>
      {hash === '' ? (
        <p role="alert">
          This link is not complete. Open it from the mail again, or ask an administrator of your practice for
          a new one.
        </p>
      ) : (
        <AcceptForm key={hash} secret={hash} />
      )}
    </PlainPage>
  );
};
