import type { ReactElement } from 'react';
import {
  Menu as AriaMenu,
  Header,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
  type Selection,
} from 'react-aria-components';
import './Menu.css';

/** An entry of a menu. `isDanger` marks what cannot be undone. */
export type MenuAction = { id: string; name: string; isDanger?: boolean; act(): void };

/** A choice of exactly one of several values, below the actions of a menu. */
export type MenuChoice = {
  label: string;
  value: string;
  choices: readonly { value: string; label: string }[];
  onChange(value: string): void;
};

/** A button with a menu of actions and, if there is one, a choice. */
export const Menu = ({
  button,
  label,
  actions,
  choice,
}: {
  /** The button that opens the menu. */
  button: ReactElement;
  label: string;
  actions: readonly MenuAction[];
  choice?: MenuChoice;
}) => (
  <MenuTrigger>
    {button}
    <Popover className="popover" placement="bottom end">
      <AriaMenu aria-label={label} className="menu">
        {choice !== undefined && (
          <MenuSection
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[choice.value]}
            onSelectionChange={(keys: Selection) => {
              const [value] = keys === 'all' ? [] : keys;
              if (value !== undefined) choice.onChange(String(value));
            }}
          >
            <Header>{choice.label}</Header>
            {choice.choices.map(({ value, label: name }) => (
              <MenuItem key={value} id={value} textValue={name}>
                {name}
              </MenuItem>
            ))}
          </MenuSection>
        )}
        {actions.map(({ id, name, isDanger = false, act }) => (
          <MenuItem key={id} id={id} onAction={act} className={isDanger ? 'item danger' : 'item'}>
            {name}
          </MenuItem>
        ))}
      </AriaMenu>
    </Popover>
  </MenuTrigger>
);
