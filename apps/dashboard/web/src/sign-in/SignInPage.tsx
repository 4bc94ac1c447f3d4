import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { PageHeading } from '../components/page-parts/PageHeading.tsx';
import { PlainPage } from '../components/page-parts/PlainPage.tsx';
import { expectEnd, expectedEnd } from '../session/prompts.ts';
import { tellSignOut } from '../session/session.ts';
import { safePath } from './redirect.ts';
import { mailQuery } from './requests.ts';
import { SignInForm } from './SignInForm.tsx';

/** The page on which operators sign in. It says why, if a change of their own has ended the session. */
export const SignInPage = () => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { next } = useSearch({ from: '/sign-in' });
  const [end] = useState(expectedEnd);
  const { data: mail = true } = useQuery(mailQuery);
  const signedIn = async () => {
    expectEnd(undefined);
    // No data of an earlier operator may appear.
    queries.clear();
    tellSignOut();
    await navigate({ href: safePath(next), replace: true });
  };
  return (
    <PlainPage>
      <PageHeading note={end && <span role="status">{end.message}</span>}>Sign in</PageHeading>
      <SignInForm known={end?.email ?? ''} onSignedIn={signedIn} />
      <p className="quiet small">
        {mail ? (
          <Link to="/password-reset">Forgot your password?</Link>
        ) : (
          'Forgot your password? An administrator of your practice can set a new one.'
        )}
      </p>
    </PlainPage>
  );
};
