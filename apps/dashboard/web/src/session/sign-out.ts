import { ChairsideError } from '@chairside/client';
import { focusManager, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { signOut } from '../api/session-calls.ts';
import { tellSignOut } from './session.ts';

/** Ends the session. A failure is shown on the page. */
export const useSignOut = () => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    async mutationFn() {
      // Live reads of the open page would arrive after the end of the session. Without focus, none begins,
      // and no page is loaded ahead.
      focusManager.setFocused(false);
      await queries.cancelQueries();
      await signOut();
    },
    async onSettled(_result, error) {
      // After a failure other than 503, the cookie may still exist, and the page must not show that the operator is
      // signed out.
      if (error === null || (error instanceof ChairsideError && error.status === 503)) {
        // No data of the session may stay in memory.
        queries.clear();
        tellSignOut();
        await navigate({ to: '/sign-in' });
      }
      focusManager.setFocused(undefined);
    },
  });
};
