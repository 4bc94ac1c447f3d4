import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Product, signIn, WatchedPage } from './product.ts';

/** How a person uses the pages: with a mouse, with the keyboard alone, or with a finger on a phone. */
export type Hands = {
  name: 'mouse' | 'keyboard' | 'phone';
  options: BrowserContextOptions;
  /** Presses a link, a button, an entry of a menu or a tab. */
  press(target: Locator): Promise<void>;
  /** Ticks a box. @param words the words beside it */
  tick(on: Locator, words: string): Promise<void>;
  /** Replaces the text of a field. */
  enter(field: Locator, text: string): Promise<void>;
  /** Opens a page of the navigation. */
  go(on: Page, name: string): Promise<void>;
};

/** No page has more stops of the keyboard in front of the element that a journey needs. */
const MAX_STEPS = 150;

/** The key that leads from an element with this role to the next one. */
const keyAfter = (role: string): string => {
  if (role.startsWith('menu')) return 'ArrowDown';
  return role === 'tab' ? 'ArrowRight' : 'Tab';
};

/** Moves the focus to an element with the keyboard alone. */
const reach = async (target: Locator): Promise<void> => {
  await target.waitFor({ state: 'attached' });
  const page = target.page();
  const isReached = () => target.evaluate((element) => element === document.activeElement);
  const isInside = (await target.getAttribute('role')) !== null;
  for (let step = 0; step < MAX_STEPS; step++) {
    if (await isReached()) return;
    const role = await page.evaluate(() => document.activeElement?.getAttribute('role') ?? '');
    await page.keyboard.press(isInside ? keyAfter(role) : 'Tab');
  }
  throw new Error(`${MAX_STEPS} steps of the keyboard do not reach ${target}`);
};

/** Presses with a real mouse: the element must be under the pointer when the button goes down and when it goes up. */
const pressWithMouse = async (target: Locator): Promise<void> => {
  await target.scrollIntoViewIfNeeded();
  // The trial waits until the element stands still and nothing covers it.
  await target.click({ trial: true });
  const box = await target.boundingBox();
  if (box === null) throw new Error(`${target} is not visible`);
  const { mouse } = target.page();
  await mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await mouse.down();
  await mouse.up();
};

const replace = async (field: Locator, text: string): Promise<void> => {
  await field.page().keyboard.press('ControlOrMeta+a');
  await field.page().keyboard.type(text);
};

const linkOf = (on: Page, name: string) =>
  on.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).filter({ visible: true });

export const HANDS: readonly Hands[] = [
  {
    name: 'mouse',
    options: { viewport: { width: 1280, height: 800 } },
    press: pressWithMouse,
    tick: (on, words) => pressWithMouse(on.getByText(words)),
    async enter(field, text) {
      await pressWithMouse(field);
      await replace(field, text);
    },
    go: (on, name) => pressWithMouse(linkOf(on, name)),
  },
  {
    name: 'keyboard',
    options: { viewport: { width: 1280, height: 800 } },
    async press(target) {
      await reach(target);
      await target.page().keyboard.press('Enter');
    },
    async tick(on, words) {
      await reach(on.getByLabel(words));
      await on.page().keyboard.press('Space');
    },
    async enter(field, text) {
      await reach(field);
      await replace(field, text);
    },
    async go(on, name) {
      await on.keyboard.press('Control+k');
      const entry = on.getByRole('menuitem', { name, exact: true });
      await on.getByRole('dialog', { name: 'Find or do' }).locator('input:focus').waitFor();
      await on.keyboard.type(name);
      await expect.poll(() => on.getByRole('menuitem').first().textContent()).toBe(name);
      await entry.and(on.locator('[data-focused]')).waitFor();
      await on.keyboard.press('Enter');
    },
  },
  {
    name: 'phone',
    options: { viewport: { width: 375, height: 740 }, hasTouch: true, isMobile: true },
    press: (target) => target.tap(),
    tick: (on, words) => on.getByText(words).tap(),
    async enter(field, text) {
      await field.tap();
      await replace(field, text);
    },
    async go(on, name) {
      await on.getByRole('button', { name: 'Navigation' }).tap();
      await linkOf(on, name).tap();
    },
  },
];

/** Opens the dashboard and signs in, with these hands. */
export const begin = async (
  product: Product,
  hands: Hands,
  operator: Parameters<typeof signIn>[1],
): Promise<WatchedPage> => {
  const page = await product.open('/', hands.options);
  await hands.enter(page.getByLabel('E-mail'), operator.email);
  await hands.enter(page.getByLabel('Password', { exact: true }), operator.password);
  await hands.press(page.getByRole('button', { name: 'Sign in', exact: true }));
  await page.locator('#content').waitFor();
  return page;
};
