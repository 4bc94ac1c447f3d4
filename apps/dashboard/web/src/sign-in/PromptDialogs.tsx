import type { Session } from '@chairside/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { api } from '../api/client.ts';
import { DialogButtons, PageDialog } from '../components/dialogs/PageDialog.tsx';
import { ActionForm } from '../components/forms/ActionForm.tsx';
import { PasswordField } from '../components/forms/PasswordField.tsx';
import { withFactor } from '../session/factor.ts';
import { ask, dismissPrompt, expectedEnd, isSessionEnd, prompts, resolvePrompt } from '../session/prompts.ts';
import { resumeSession, tellSignOut, useSession } from '../session/session.ts';
import { startAfresh } from '../session/start-afresh.ts';
import { SignInForm } from './SignInForm.tsx';

/**
 * Asks for the password before an action that needs a recent confirmation.
 *
 * @param props.isForFactors whether the action changes what the operator is asked besides the password
 */
const ConfirmDialog = ({ isForFactors }: { isForFactors: boolean }) => {
  const [password, setPassword] = useState('');
  const request = useMutation({
    async mutationFn() {
      const what = isForFactors ? { for: 'factors' as const } : {};
      await withFactor((answer) => api.sessions.confirm({ password, ...what, ...answer }));
    },
    onSuccess: resolvePrompt,
    onError(error) {
      // The sign-in replaces this dialog, and counts as a confirmation.
      if (isSessionEnd(error)) ask('sign-in').catch(() => {});
    },
  });
  return (
    <PageDialog title="Confirm it’s you" onClose={dismissPrompt}>
      <ActionForm request={request}>
        <p>This action needs your password. It stays confirmed for ten minutes.</p>
        <PasswordField autoFocus value={password} onChange={setPassword} />
        <DialogButtons submit="Confirm" onCancel={dismissPrompt} />
      </ActionForm>
    </PageDialog>
  );
};

/**
 * Lets the operator sign in again in a dialog over the page, so that no input is lost. Everything behind the dialog is
 * hidden. If somebody else signs in, the browser opens the start page.
 */
const SignInAgainDialog = ({ operatorId, email }: Session) => {
  const queries = useQueryClient();
  useEffect(() => {
    document.documentElement.dataset.locked = 'true';
    return () => void delete document.documentElement.dataset.locked;
  }, []);
  const end = expectedEnd();
  const leave = () => location.assign('/sign-in');
  const signedIn = async () => {
    if (await resumeSession(queries, operatorId)) return resolvePrompt();
    tellSignOut();
    startAfresh();
  };
  return (
    <PageDialog title="Your session has ended" isOverLock onClose={leave}>
      <p>{end?.message ?? 'Sign in again to continue. What you have entered on this page is kept.'}</p>
      <SignInForm known={end?.email ?? email ?? ''} onSignedIn={signedIn} />
    </PageDialog>
  );
};

/** The dialogs that requests wait for. */
export const PromptDialogs = () => {
  // A dialog belongs to the session of its page, so it is closed when the page is left.
  useEffect(() => dismissPrompt, []);
  const prompt = useSyncExternalStore(prompts.subscribe, prompts.current);
  const session = useSession();
  if (prompt === 'confirm' || prompt === 'confirm-factors')
    return <ConfirmDialog isForFactors={prompt === 'confirm-factors'} />;
  if (prompt === 'sign-in') return <SignInAgainDialog {...session} />;
  return null;
};
