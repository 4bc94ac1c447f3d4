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

/** A button whose menu is open at first. */
export const OpenMenu = ({ button, label, actions, choice }: MenuProps) => (
  <MenuTrigger defaultOpen>
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
