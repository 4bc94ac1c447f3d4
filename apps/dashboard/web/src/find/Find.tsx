import { Search } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import type { Target } from './FindDialog.tsx';
import './Find.css';

const load = () => import('./FindDialog.tsx');
const FindDialog = lazy(() => load().then((module) => ({ default: module.FindDialog })));

/** Loads the code of the dialog in advance, so that it has the focus before a person goes on typing. */
export const preloadFind = (): void => {
  // A failure is shown when the dialog is opened.
  load().catch(() => {});
};

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Opens the dialog with Ctrl-K, or Cmd-K on a Mac, unless another dialog is open. */
const useShortcut = (open: () => void): void => {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(isMac ? event.metaKey : event.ctrlKey) || event.altKey || event.shiftKey)
        return;
      // Browsers use this key for their own search.
      event.preventDefault();
      if (document.querySelector('[role$="dialog"]') === null) open();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [open]);
};

/** The button of the dialog: in the sidebar, and as an icon in the bar of a narrow screen. */
export const FindButton = ({ onPress }: { onPress(): void }) => (
  <Button className="find" aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'} onPress={onPress}>
    <Search aria-hidden="true" />
    <span>Find or do…</span>
    <span aria-hidden="true" className="keys">
      {isMac ? '⌘ K' : 'Ctrl K'}
    </span>
  </Button>
);

/**
 * The dialog that finds pages, actions, subscriptions, keys, people and pasted ids, and the function that opens it.
 *
 * @param pages the pages of the navigation
 */
export const useFind = (pages: readonly Target[]): { dialog: ReactNode; open(): void } => {
  const [isOpen, setOpen] = useState(false);
  // No transition: a person types on at once, and the field must have the focus by then.
  const [open] = useState(() => () => setOpen(true));
  useShortcut(open);
  const dialog = isOpen && (
    <Suspense>
      <FindDialog pages={pages} onClose={() => setOpen(false)} />
    </Suspense>
  );
  return { dialog, open };
};
