import { Outlet, useRouter } from '@tanstack/react-router';
import { Menu as MenuIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { ShownSecret } from '../components/dialogs/Secret.tsx';
import { preloadMenus } from '../components/menus/Menu.tsx';
import { Brand } from '../components/page-parts/Brand.tsx';
import { Problem } from '../components/states/Problem.tsx';
import { Tips } from '../components/texts/Tips.tsx';
import { Undo } from '../components/undo/Undo.tsx';
import { FindButton, preloadFind, useFind } from '../find/Find.tsx';
import { useSession } from '../session/session.ts';
import { useSignOut } from '../session/sign-out.ts';
import { PromptDialogs } from '../sign-in/PromptDialogs.tsx';
import { Navigation, pagesOf } from './Navigation.tsx';
import { OutboundNote } from './OutboundNote.tsx';
import { Person } from './Person.tsx';
import { SessionEnd } from './SessionEnd.tsx';
import '../components/dialogs/PageDialog.css';
import './Shell.css';

/** The code of the other pages is loaded this long after the first page. */
const IDLE_MS = 1000;

/** Resolves when the browser is idle. Safari cannot report this, so there it resolves in the next task. */
const untilIdle = (): Promise<void> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve());
    else setTimeout(resolve);
  });

/**
 * Loads the code of the pages in advance, so that opening a page waits only for its data. The pages are loaded one
 * after the other while the browser is idle, so that they do not delay the reaction to input.
 */
const usePreloadedPages = (isWanted: boolean): void => {
  const { routesById } = useRouter();
  useEffect(() => {
    if (!isWanted) return;
    let isOver = false;
    const load = async () => {
      for (const { options } of Object.values(routesById)) {
        const component = options.component as { preload?: () => Promise<void> } | undefined;
        if (component?.preload === undefined) continue;
        await untilIdle();
        if (isOver) return;
        // If the code cannot be loaded, the page itself shows the failure when it is opened.
        await component.preload?.().catch(() => {});
      }
    };
    const timer = setTimeout(() => void load(), IDLE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isWanted, routesById]);
};

/** The navigation on a narrow screen, which slides in from the side. A link closes it. */
const NavigationSheet = ({ onClose }: { onClose(): void }) => (
  <ModalOverlay className="overlay side" isOpen isDismissable onOpenChange={onClose}>
    <Modal className="sheet">
      <Dialog aria-label="Navigation">
        <Brand />
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
const IN_LIST = '#content :is(tbody, .day-sheet) :is(a, button)';

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
  // Only administrators preload pages, so that staff do not load pages that they may not see.
  usePreloadedPages(role === 'administrator');
  useEffect(() => {
    void untilIdle().then(() => {
      // The menu of the person must open without a connection, too.
      preloadMenus();
      preloadFind();
    });
  }, []);
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
        <SessionEnd />
        <OutboundNote />
        <Problem error={signOut.error} />
        <Outlet />
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
