import { cloneElement, lazy, Suspense, useState } from 'react';
import type { MenuProps } from './menu-props.ts';

/** The code of menus is large, and most menus stay closed. It is loaded when the first button of a menu is used. */
const load = () => import('./OpenMenu.tsx');
const OpenMenu = lazy(() => load().then((module) => ({ default: module.OpenMenu })));

/** Loads the code of menus in advance. */
const preloadMenus = (): void => {
  // A failure is shown when the menu is opened.
  load().catch(() => {});
};

/** A button with a menu of actions and, if there is one, a choice. */
export const Menu = ({ button, ...menu }: MenuProps) => {
  const [isWanted, setWanted] = useState(false);
  const closed = cloneElement(button, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onHoverStart: preloadMenus,
    onFocus: preloadMenus,
    onPress: () => setWanted(true),
  });
  if (!isWanted) return closed;
  return (
    <Suspense fallback={closed}>
      <OpenMenu button={button} {...menu} />
    </Suspense>
  );
};
