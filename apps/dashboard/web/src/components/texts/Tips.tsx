import { useEffect, useRef } from 'react';
import './Tips.css';

/** The distance between the tip and its element, in pixels. */
const GAP = 6;

/** Whether the page shows this text as a whole. */
const isShown = (element: Element): boolean => {
  const { textContent } = element;
  if (textContent !== element.getAttribute('data-tip')) return false;
  const box = element.closest('td, th, .clip') ?? element;
  return [box, ...element.children].every(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth);
};

/** A text, and the element or the row at which it is shown. */
type Tip = { at: Element; text: string; isOfRow?: true };

/**
 * What the page does not show of an element: its own text, or with the keyboard that of all cells of a row, because the
 * focus is on the link of the row. One line for a row, so that it covers as little as possible of the next one.
 */
const tipOf = (target: Element): Tip | undefined => {
  const own = target.closest('[data-tip]');
  if (own !== null) return isShown(own) ? undefined : { at: own, text: own.getAttribute('data-tip') ?? '' };
  const at = target.closest('.row-link')?.closest('tr');
  if (at === null || at === undefined) return undefined;
  const hidden = [...at.querySelectorAll('[data-tip]')].filter((each) => !isShown(each));
  const texts = new Set(hidden.map((each) => each.getAttribute('data-tip')?.replaceAll('\n', ', ')));
  return texts.size === 0 ? undefined : { at, text: [...texts].join(' · '), isOfRow: true };
};

/** The element with a text under the pointer. The link of a row lies above its cells, and beyond its own box. */
const underPointer = ({ target, clientX, clientY }: PointerEvent): Element | undefined => {
  if (!(target instanceof Element)) return undefined;
  if (target.closest('.row-link') === null) return target;
  return document.elementsFromPoint(clientX, clientY).find((each) => {
    const { left, right, top, bottom } = each.getBoundingClientRect();
    const isInside = left <= clientX && clientX <= right && top <= clientY && clientY <= bottom;
    return isInside && each.matches('[data-tip]');
  });
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
    let pointed: Element | undefined;
    /** The next movement of the pointer shows a tip again. */
    const hideUntilMoved = (): void => {
      pointed = undefined;
      hide();
    };
    const show = (target: Element): void => {
      const element = box.current;
      const found = tipOf(target);
      if (element === null) return;
      if (found === undefined) {
        hide();
        return;
      }
      element.textContent = found.text;
      element.showPopover();
      const place = found.at.getBoundingClientRect();
      element.style.maxWidth = found.isOfRow ? `${place.width}px` : '';
      const { width, height } = element.getBoundingClientRect();
      // The end of the next row is less important than its beginning.
      const start = found.isOfRow ? place.right - width : place.left;
      const left = Math.max(GAP, Math.min(start, innerWidth - width - GAP));
      const below = place.bottom + GAP;
      const top = below + height > innerHeight ? place.top - height - GAP : below;
      element.style.translate = `${left}px ${top}px`;
    };
    const onPoint = (event: PointerEvent) => {
      const found = underPointer(event);
      if (found === pointed) return;
      pointed = found;
      if (found === undefined) hide();
      else show(found);
    };
    const onFocus = ({ target }: Event) =>
      target instanceof Element && target.matches(':focus-visible') ? show(target) : hide();
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape' || key === 'Enter') hide();
    };
    document.addEventListener('pointerover', onPoint);
    document.addEventListener('pointermove', onPoint, { passive: true });
    document.addEventListener('focusin', onFocus);
    document.addEventListener('keydown', onKey);
    // A press may open another page, which does not have the element of the tip.
    document.addEventListener('click', hide);
    document.addEventListener('scroll', hideUntilMoved, { capture: true, passive: true });
    return () => {
      document.removeEventListener('pointerover', onPoint);
      document.removeEventListener('pointermove', onPoint);
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('click', hide);
      document.removeEventListener('scroll', hideUntilMoved, { capture: true });
    };
  }, []);
  // A popover lies above dialogs. Screen readers do not need it: a `time` has the exact time, and text is never cut off
  // for them.
  return <div ref={box} className="tip" popover="manual" aria-hidden="true" />;
};
