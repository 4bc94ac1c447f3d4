import { useState } from 'react';
import { Select } from '../components/Field.tsx';
import { PageHeading } from '../components/PageHeading.tsx';
import { useSession } from '../session/session.ts';
import { APPEARANCES, type Appearance, applyAppearance, storedAppearance } from './appearance.ts';
import { ChangePassword } from './ChangePassword.tsx';

const LABELS: Readonly<Record<Appearance, string>> = { system: 'System', light: 'Light', dark: 'Dark' };

/** The page on which operators change their own password and the appearance of the pages in this browser. */
export const AccountPage = () => {
  const { role } = useSession();
  const [appearance, setAppearance] = useState(storedAppearance);
  const choose = (value: string | undefined) => {
    const chosen = APPEARANCES.find((each) => each === value) ?? 'system';
    applyAppearance(chosen);
    setAppearance(chosen);
  };
  return (
    <>
      <PageHeading>Account</PageHeading>
      <p>Your role is {role}.</p>
      <section aria-labelledby="password">
        <h2 id="password">Password</h2>
        <ChangePassword onChanged={() => {}} />
      </section>
      <section aria-labelledby="appearance">
        <h2 id="appearance">Appearance</h2>
        <div className="form">
          <Select
            label="Appearance"
            value={appearance}
            choices={APPEARANCES.map((value) => ({ value, label: LABELS[value] }))}
            onChange={choose}
          />
        </div>
      </section>
    </>
  );
};
