import { Search } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { endHandOver } from '../components/transitions/hand-over.ts';
import { isMac, OPEN_DIALOG } from '../components/undo/shortcuts.ts';
import type { Target } from './FindDialog.tsx';
import { collectTyped, type TypedAhead } from './typed-ahead.ts';
import './Find.css';

const load = () => import('./FindDialog.tsx');
const FindDialog = lazy(() => load().then((module) => ({ default: module.FindDialog })));

/** Loads the code of the dialog in advance. */
const preloadFind = (): void => {
  // A failure is shown when the dialog is opened.
  load().catch(() => {});
};

/** Opens the dialog with Ctrl-K, or Cmd-K on a Mac, unless another dialog is open. */
const useShortcut = (open: () => void): void => {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(isMac ? event.metaKey : event.ctrlKey) || event.altKey || event.shiftKey)
        return;
      // Browsers use this key for their own search.
      event.preventDefault();
      if (document.querySelector(OPEN_DIALOG) === null) open();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [open]);
};

/** The button of the dialog: in the sidebar, and as an icon in the bar of a narrow screen. */
export const FindButton = ({ onPress }: { onPress(): void }) => (
  <Button
    className="find"
    aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
    onHoverStart={preloadFind}
    onFocus={preloadFind}
    onPress={onPress}
  >
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
  /** The number of the present dialog. The shortcut may open the next one while the one before is being removed. */
  const [shown, setShown] = useState<number>();
  const count = useRef(0);
  // A person types on at once, also while the code of the dialog is loaded.
  const typed = useRef<TypedAhead>(undefined);
  // No transition: a person types on at once, and the field must have the focus by then.
  const [open] = useState(() => () => {
    typed.current?.take();
    typed.current = collectTyped();
    setShown(++count.current);
  });
  useShortcut(open);
  // A search for a patient ends with the session.
  useEffect(() => endHandOver, []);
  useEffect(() => () => void typed.current?.take(), []);
  const dialog = shown !== undefined && (
    <Suspense>
      <FindDialog
        key={shown}
        pages={pages}
        takeTyped={() => typed.current?.take() ?? ''}
        onClose={() => setShown((present) => (present === shown ? undefined : present))}
      />
    </Suspense>
  );
  return { dialog, open };
};
