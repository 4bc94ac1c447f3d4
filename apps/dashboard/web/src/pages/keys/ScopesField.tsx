import { Check, Checks, toggled } from '../../components/forms/Check.tsx';
import { ALL_SCOPES, SCOPES, type Scope } from './scopes.ts';

/** The scopes of a key. */
export const ScopesField = ({
  value,
  onChange,
}: {
  value: readonly Scope[];
  onChange(value: Scope[]): void;
}) => {
  const canWrite = value.some((scope) => scope.endsWith(':write'));
  const can = value.length === 0 ? 'This key can do nothing yet.' : 'This key can only read.';
  return (
    <Checks label="Scopes" name="scopes" description={canWrite ? 'This key can change records.' : can}>
      <div className="families">
        {ALL_SCOPES.map((scope) => (
          <Check
            key={scope}
            name="scopes"
            isChecked={value.includes(scope)}
            onChange={(isChosen) => onChange(toggled(value, scope, isChosen))}
          >
            {SCOPES[scope]}
          </Check>
        ))}
      </div>
    </Checks>
  );
};
