import { Outlet } from '@tanstack/react-router';
import { PromptDialogs } from '../sign-in/PromptDialogs.tsx';
import { SessionEnd } from './SessionEnd.tsx';

/** A page without the frame of the others, for signed-in operators, with the dialogs of the session. */
export const Alone = () => (
  <>
    <div id="content" tabIndex={-1}>
      <SessionEnd />
      <Outlet />
    </div>
    <PromptDialogs />
  </>
);
