import { Checkbox, CheckboxGroup, Label } from 'react-aria-components';
import { SCOPES, type Scope } from './requests.ts';

/** The scopes of a key. */
export const ScopesField = ({
  scopes,
  value,
  onChange,
}: {
  scopes: readonly Scope[];
  value: readonly Scope[];
  onChange(value: Scope[]): void;
}) => (
  <CheckboxGroup
    className="field"
    name="scopes"
    value={[...value]}
    onChange={(chosen) => onChange(chosen as Scope[])}
  >
    <Label>Scopes</Label>
    {scopes.map((scope) => (
      <Checkbox key={scope} value={scope} className="check">
        <span className="box" aria-hidden="true" />
        {SCOPES[scope]}
      </Checkbox>
    ))}
  </CheckboxGroup>
);
