import { CheckboxGroup, Label } from 'react-aria-components';
import { Check } from '../components/Check.tsx';
import { SCOPES, type Scope } from './scopes.ts';
import '../components/Field.css';

/** The scopes of a key. */
export const ScopesField = <S extends Scope>({
  scopes,
  value,
  onChange,
}: {
  scopes: readonly S[];
  value: readonly S[];
  onChange(value: S[]): void;
}) => (
  <CheckboxGroup
    className="field"
    name="scopes"
    value={[...value]}
    onChange={(chosen) => onChange(chosen as S[])}
  >
    <Label>Scopes</Label>
    {scopes.map((scope) => (
      <Check key={scope} value={scope}>
        {SCOPES[scope]}
      </Check>
    ))}
  </CheckboxGroup>
);
