import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { ShownSecret } from '../../components/dialogs/Secret.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { PlainPage } from '../../components/page-parts/PlainPage.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { useSignOut } from '../../session/sign-out.ts';
import { PromptDialogs } from '../../sign-in/PromptDialogs.tsx';
import { safePath } from '../../sign-in/redirect.ts';
import { OwnFactors } from './factors/OwnFactors.tsx';

/** The page for operators who must add a factor before they can open other pages. */
export const FirstFactorPage = () => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { next } = useSearch({ from: '/first-factor' });
  const signOut = useSignOut();
  const go = async () => {
    queries.clear();
    await navigate({ to: safePath(next), replace: true });
  };
  return (
    <PlainPage>
      <PageHeading>One more way to show that it’s you</PageHeading>
      <p className="quiet small">
        Your practice requires a passkey or an app for codes besides the password. Add one to continue.
      </p>
      <OwnFactors
        end={
          <Button className="primary" onPress={() => void go()}>
            Continue
          </Button>
        }
      />
      <Problem error={signOut.error} />
      <p>
        <Button className="subtle" isPending={signOut.isPending} onPress={() => signOut.mutate()}>
          Sign out
        </Button>
      </p>
      <PromptDialogs />
      <ShownSecret />
    </PlainPage>
  );
};
