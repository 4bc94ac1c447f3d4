import { useEffect, useRef } from 'react';
import './Tips.css';

/** The distance between the tip and its element, in pixels. */
const GAP = 6;

/** The texts of an element: its own, and for the link of a row those of the whole row. Each text appears once. */
const textsOf = (target: Element): { at: Element; text: string } | undefined => {
  const own = target.closest('[data-tip]');
  const row = own === null ? target.closest('.row-link')?.closest('tr, .appointment') : null;
  const at = own ?? row;
  if (at === null || at === undefined) return undefined;
  const all = own === null ? [...at.querySelectorAll('[data-tip]')] : [own];
  const text = [...new Set(all.map((each) => each.getAttribute('data-tip')))].join('\n');
  return text === '' ? undefined : { at, text };
};

/** Shows one tip for the whole page. Escape hides it. */
export const Tips = () => {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const hide = (): void => {
      if (box.current === null) return;
      box.current.hidePopover();
      box.current.textContent = '';
    };
    const show = (target: EventTarget | null): void => {
      const element = box.current;
      const found = target instanceof Element ? textsOf(target) : undefined;
      if (element === null) return;
      if (found === undefined) {
        hide();
        return;
      }
      element.textContent = found.text;
      element.showPopover();
      const place = found.at.getBoundingClientRect();
      const { width, height } = element.getBoundingClientRect();
      const left = Math.max(GAP, Math.min(place.left, innerWidth - width - GAP));
      const below = place.bottom + GAP;
      const top = below + height > innerHeight ? place.top - height - GAP : below;
      element.style.translate = `${left}px ${top}px`;
    };
    const onPoint = ({ target }: Event) => show(target);
    const onFocus = ({ target }: Event) =>
      target instanceof Element && target.matches(':focus-visible') ? show(target) : hide();
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape' || key === 'Enter') hide();
    };
    document.addEventListener('pointerover', onPoint);
    document.addEventListener('focusin', onFocus);
    document.addEventListener('keydown', onKey);
    // A press may open another page, which does not have the element of the tip.
    document.addEventListener('click', hide);
    document.addEventListener('scroll', hide, { capture: true, passive: true });
    return () => {
      document.removeEventListener('pointerover', onPoint);
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('click', hide);
      document.removeEventListener('scroll', hide, { capture: true });
    };
  }, []);
  // A popover lies above dialogs. Screen readers do not need it: a `time` has the exact time, and text is never cut off
  // for them.
  return <div ref={box} className="tip" popover="manual" aria-hidden="true" />;
};
