import type { ReactElement, RefAttributes } from 'react';
import type { ButtonProps } from 'react-aria-components';

/** An entry of a menu. `isDanger` marks what deletes or ends something. */
export type MenuAction = { id: string; name: string; isDanger?: boolean; act(): void };

/** A choice of exactly one of several values, below the actions of a menu. */
export type MenuChoice = {
  label: string;
  value: string;
  choices: readonly { value: string; label: string }[];
  onChange(value: string): void;
};

export type MenuProps = {
  /** The button that opens the menu. */
  button: ReactElement<ButtonProps & RefAttributes<HTMLButtonElement>>;
  label: string;
  /** The edge that the menu has in common with its button; absent for the end. */
  align?: 'start';
  actions: readonly MenuAction[];
  choice?: MenuChoice;
};
