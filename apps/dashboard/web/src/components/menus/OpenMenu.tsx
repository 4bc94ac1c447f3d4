import { cloneElement, useEffect, useRef, useState } from 'react';
import {
  Menu as AriaMenu,
  Header,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
  type Selection,
} from 'react-aria-components';
import type { MenuProps } from './menu-props.ts';
import './Menu.css';

/**
 * A button whose menu opens at once. It replaces the button that was pressed, so it takes the focus over before the menu
 * opens: otherwise the focus would not return from the menu, nor from a dialog that the menu opens.
 */
export const OpenMenu = ({ button, label, align, actions, choice }: MenuProps) => {
  const [isOpen, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    trigger.current?.focus();
    setOpen(true);
  }, []);
  return (
    <MenuTrigger isOpen={isOpen} onOpenChange={setOpen}>
      {cloneElement(button, { ref: trigger })}
      <Popover className="popover" placement={`bottom ${align ?? 'end'}`}>
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
};
