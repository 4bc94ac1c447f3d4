import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { PageHeading } from '../components/pages/PageHeading.tsx';
import { PlainPage } from '../components/pages/PlainPage.tsx';
import { tellSignOut } from '../session/session.ts';
import { safePath } from './redirect.ts';
import { SignInForm } from './SignInForm.tsx';

export const SignInPage = () => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { next } = useSearch({ from: '/sign-in' });
  const signedIn = async () => {
    // No data of an earlier operator may appear.
    queries.clear();
    tellSignOut();
    await navigate({ to: safePath(next), replace: true });
  };
  return (
    <PlainPage>
      <PageHeading>Sign in</PageHeading>
      <SignInForm onSignedIn={signedIn} />
      <p className="quiet small">
        Forgot your password? Another administrator of your practice can set a new one.
      </p>
    </PlainPage>
  );
};
