/** What a person types before the field for it is there. */
export type TypedAhead = {
  /** Ends the collection. @returns the text so far */
  take(): string;
};

/**
 * Collects what is typed and pasted from now on, so that nothing of it is lost, and no key has an effect on the page. Keys
 * with Ctrl, Alt or Cmd stay as they are, except where AltGr makes a letter of them.
 */
export const collectTyped = (): TypedAhead => {
  let text = '';
  const onKey = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if ((ctrlKey || metaKey || altKey) && !event.getModifierState('AltGraph')) return;
    if (key === 'Backspace') text = text.slice(0, -1);
    else if (key.length === 1) text += key;
    else if (key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onPaste = (event: ClipboardEvent): void => {
    text += event.clipboardData?.getData('text/plain') ?? '';
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener('keydown', onKey, { capture: true });
  document.addEventListener('paste', onPaste, { capture: true });
  return {
    take() {
      document.removeEventListener('keydown', onKey, { capture: true });
      document.removeEventListener('paste', onPaste, { capture: true });
      return text;
    },
  };
};
