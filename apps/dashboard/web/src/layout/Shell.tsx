import { Outlet } from '@tanstack/react-router';
import { Menu as MenuIcon, X } from 'lucide-react';
import { useState } from 'react';
import { Button, Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { ShownSecret } from '../components/dialogs/Secret.tsx';
import { Brand } from '../components/page-parts/Brand.tsx';
import { Problem } from '../components/states/Problem.tsx';
import { Tips } from '../components/texts/Tips.tsx';
import { Undo } from '../components/undo/Undo.tsx';
import { FindButton, useFind } from '../find/Find.tsx';
import { useSession } from '../session/session.ts';
import { useSignOut } from '../session/sign-out.ts';
import { PromptDialogs } from '../sign-in/PromptDialogs.tsx';
import { Navigation, pagesOf } from './Navigation.tsx';
import { OutboundNote } from './OutboundNote.tsx';
import { Person } from './Person.tsx';
import { SessionEnd } from './SessionEnd.tsx';
import '../components/dialogs/PageDialog.css';
import './Shell.css';

/** The navigation on a narrow screen, which slides in from the side. A link closes it. */
const NavigationSheet = ({ onClose }: { onClose(): void }) => (
  <ModalOverlay className="overlay side" isOpen isDismissable onOpenChange={onClose}>
    <Modal className="sheet">
      <Dialog aria-label="Navigation">
        <div className="sheet-head">
          <Brand />
          <Button className="subtle icon" aria-label="Close" onPress={onClose}>
            <X aria-hidden="true" />
          </Button>
        </div>
        <div
          onClickCapture={({ target }) => {
            if ((target as Element).closest('a') !== null) onClose();
          }}
        >
          <Navigation />
        </div>
      </Dialog>
    </Modal>
  </ModalOverlay>
);

/** What a person can press in the rows of a list. Without any, the stylesheet hides “Skip to the list”. */
const IN_LIST = '#content :is(tbody, .day-grid, .still-booked) :is(a, button)';

/** Focuses the first row of the first list, because many filters may lie before it. */
const skipToList = (): void => {
  const all = document.querySelectorAll<HTMLElement>(IN_LIST);
  [...all].find((element) => element.checkVisibility())?.focus();
};

/**
 * The frame of the pages for signed-in operators: the navigation with the pages of their role, who is signed in, and
 * the dialogs of the session.
 */
export const Shell = () => {
  const { role } = useSession();
  const [isOpen, setOpen] = useState(false);
  const signOut = useSignOut();
  const find = useFind(pagesOf(role));
  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <button type="button" className="skip to-list" onClick={skipToList}>
        Skip to the list
      </button>
      <header className="side">
        <Brand />
        <FindButton onPress={find.open} />
        <Navigation />
        <Person onSignOut={() => signOut.mutate()} />
      </header>
      <header className="topbar">
        <Button className="subtle icon" aria-label="Navigation" onPress={() => setOpen(true)}>
          <MenuIcon aria-hidden="true" />
        </Button>
        <Brand />
        <FindButton onPress={find.open} />
        <Person isSmall onSignOut={() => signOut.mutate()} />
      </header>
      <main id="content" tabIndex={-1}>
        <div className="content">
          <SessionEnd />
          <OutboundNote />
          <Problem error={signOut.error} />
          <Outlet />
        </div>
        <Undo />
      </main>
      {isOpen && <NavigationSheet onClose={() => setOpen(false)} />}
      {find.dialog}
      <ShownSecret />
      <PromptDialogs />
      <Tips />
    </div>
  );
};
