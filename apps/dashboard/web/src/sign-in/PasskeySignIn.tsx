import { useMutation } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { answerChallenge } from '../api/session-calls.ts';
import { Problem } from '../components/states/Problem.tsx';
import { answerWithPasskey, canUsePasskeys } from './passkeys.ts';
import { beginPasskeySignIn } from './requests.ts';

/** Signs in with a passkey alone. */
export const PasskeySignIn = ({ onSignedIn }: { onSignedIn(): Promise<void> }) => {
  const request = useMutation({
    async mutationFn() {
      const { challenge, options } = await beginPasskeySignIn();
      await answerChallenge(await answerWithPasskey(challenge, options));
      await onSignedIn();
    },
  });
  if (!canUsePasskeys()) return null;
  return (
    <>
      <Button isPending={request.isPending} onPress={() => request.mutate()}>
        Sign in with a passkey
      </Button>
      <Problem error={request.error} />
    </>
  );
};
