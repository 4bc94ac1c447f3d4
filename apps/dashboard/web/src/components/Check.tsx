import { Checkbox } from 'react-aria-components';
import './Check.css';

/** A choice of a `CheckboxGroup`. */
export const Check = ({ value, children }: { value: string; children: string }) => (
  <Checkbox value={value} className="check">
    <span className="box" aria-hidden="true" />
    {children}
  </Checkbox>
);
