import { CheckboxGroup, Label } from 'react-aria-components';
import { Check } from '../components/Check.tsx';
import { SCOPES, type Scope } from './scopes.ts';
import '../components/Field.css';

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
      <Check key={scope} value={scope}>
        {SCOPES[scope]}
      </Check>
    ))}
  </CheckboxGroup>
);
