import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { createAccessToken } from '../api/session-calls.ts';
import { ActionForm } from '../components/ActionForm.tsx';
import { CopyText } from '../components/CopyText.tsx';
import { Field } from '../components/Field.tsx';
import { DialogButtons, PageDialog } from '../components/PageDialog.tsx';
import { Problem } from '../layout/Problem.tsx';
import { withPrompts } from '../session/prompts.ts';

/** Creates an access token after the password, and shows it once. The token leaves the page with the dialog. */
export const NewToken = () => {
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [password, setPassword] = useState('');
  const [token, setToken] = useState<string>();
  const request = useMutation({
    mutationFn: () => withPrompts(() => createAccessToken(password)),
    onSuccess(created) {
      setPassword('');
      setToken(created);
      request.reset();
    },
    gcTime: 0,
  });
  const close = () => {
    setOpen(false);
    setToken(undefined);
    setPassword('');
    request.reset();
    void queries.invalidateQueries({ queryKey: ['sessions'] });
  };
  return (
    <>
      <Button className="primary" onPress={() => setOpen(true)}>
        New access token
      </Button>
      <PageDialog title={token ? 'Copy the token' : 'New access token'} isOpen={isOpen} onClose={close}>
        {token === undefined ? (
          <ActionForm request={request}>
            <p>Enter your password to create a token.</p>
            <Problem error={request.error} />
            <Field
              label="Password"
              name="password"
              type="password"
              autoComplete="current-password"
              autoFocus
              isRequired
              value={password}
              onChange={setPassword}
            />
            <DialogButtons submit="Create" isPending={request.isPending} onCancel={close} />
          </ActionForm>
        ) : (
          <>
            <p>
              The token is shown only once. It ends after 60 minutes without use, and after 12 hours at the
              latest.
            </p>
            <CopyText label="Access token" text={token} />
            <div className="buttons">
              <Button className="primary" onPress={close}>
                Done
              </Button>
            </div>
          </>
        )}
      </PageDialog>
    </>
  );
};
