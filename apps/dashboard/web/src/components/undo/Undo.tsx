import { useMutation } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useEffect, useEffectEvent, useRef } from 'react';
import { Button } from 'react-aria-components';
import { problemOf, UnusableInput } from '../../api/problems.ts';
import { Dismissed, withPrompts } from '../../session/prompts.ts';
import { isMac, OPEN_DIALOG } from './shortcuts.ts';
import { endOffer, type UndoableChange, useOffer } from './undo.ts';
import './Undo.css';

/** The fields in which Ctrl-Z belongs to what is typed. */
const TYPED = 'input:not([type="checkbox"], [type="radio"]), textarea, [contenteditable]';

/** Calls `undo` at Ctrl-Z, or Cmd-Z on a Mac, outside of fields and dialogs. */
const useShortcut = (undo: (() => void) | undefined): void => {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, metaKey, ctrlKey, altKey, shiftKey, target } = event;
    if (undo === undefined || key !== 'z' || !(isMac ? metaKey : ctrlKey) || altKey || shiftKey) return;
    if (target instanceof Element && target.closest(TYPED) !== null) return;
    if (document.querySelector(OPEN_DIALOG) !== null) return;
    event.preventDefault();
    undo();
  });
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
};

/**
 * Says what the last change was, and undoes it. The message stays until the operator dismisses it, makes another such
 * change or opens another page.
 */
export const Undo = () => {
  const { pathname } = useLocation();
  const change = useOffer();
  const place = useRef<HTMLElement>(null);
  const dismiss = useRef<HTMLButtonElement>(null);
  const request = useMutation({
    mutationFn: ({ undo }: UndoableChange) => withPrompts(undo).then(() => undefined),
    onSuccess() {
      // The button disappears. After Ctrl-Z, the focus stays where it is.
      if (place.current?.contains(document.activeElement)) dismiss.current?.focus();
    },
  });
  const { reset } = request;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the result belongs to one change
  useEffect(reset, [change]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the change belongs to the page with this path
  useEffect(() => endOffer, [pathname]);

  const isOf = change !== undefined && request.variables === change;
  const isUndone = isOf && request.isSuccess;
  const error = isOf && !(request.error instanceof Dismissed) ? request.error : null;
  const canUndo = change !== undefined && !isUndone && !(error instanceof UnusableInput);
  const undo = canUndo && !request.isPending ? () => request.mutate(change) : undefined;
  useShortcut(undo);
  return (
    <section
      ref={place}
      className={change === undefined ? 'undo none' : 'undo'}
      {...(change !== undefined && { 'aria-label': 'Last change' })}
    >
      {/* The element is there before its text, so that screen readers announce the text. */}
      <p role="status">
        {isUndone ? change.undone : change?.done}
        {canUndo && change.lost !== undefined && ` ${change.lost}`}
      </p>
      {error !== null && <p role="alert">{problemOf(error).message}</p>}
      {canUndo && (
        <Button
          className="link"
          aria-keyshortcuts={isMac ? 'Meta+Z' : 'Control+Z'}
          isPending={request.isPending}
          onPress={() => undo?.()}
        >
          Undo
          <span aria-hidden="true" className="keys">
            {isMac ? '⌘ Z' : 'Ctrl Z'}
          </span>
        </Button>
      )}
      {change !== undefined && (
        <Button
          ref={dismiss}
          className="subtle icon"
          aria-label="Dismiss"
          onPress={() => {
            endOffer();
            document.querySelector<HTMLElement>('h1')?.focus();
          }}
        >
          <X aria-hidden="true" />
        </Button>
      )}
    </section>
  );
};
