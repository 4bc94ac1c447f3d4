import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { PlainPage } from '../../components/page-parts/PlainPage.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { useSignOut } from '../../session/sign-out.ts';
import { safePath } from '../../sign-in/redirect.ts';
import { ChangePassword } from './ChangePassword.tsx';

/**
 * The page for operators whose password somebody else has set. They must choose another password before they can open
 * other pages.
 */
export const FirstPasswordPage = () => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { next } = useSearch({ from: '/first-password' });
  const signOut = useSignOut();
  const changed = async () => {
    queries.clear();
    await navigate({ href: safePath(next), replace: true });
  };
  return (
    <PlainPage>
      <PageHeading>Choose a password</PageHeading>
      <p className="quiet small">Somebody else chose your password. Choose one that only you know.</p>
      <ChangePassword onChanged={() => void changed()} />
      <Problem error={signOut.error} />
      <p>
        <Button className="subtle" isPending={signOut.isPending} onPress={() => signOut.mutate()}>
          Sign out
        </Button>
      </p>
    </PlainPage>
  );
};
