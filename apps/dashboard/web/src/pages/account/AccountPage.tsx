import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Select } from '../../components/forms/Field.tsx';
import { Card } from '../../components/page-parts/Card.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { APPEARANCE_CHOICES, chooseAppearance, storedAppearance } from '../../layout/appearance.ts';
import { useSession } from '../../session/session.ts';
import { ChangePassword } from './ChangePassword.tsx';
import { OwnFactors } from './factors/OwnFactors.tsx';

/** The page on which operators change their own password, their notices, and the appearance of the pages in this browser. */
export const AccountPage = () => {
  const { role, email } = useSession();
  const [appearance, setAppearance] = useState<string>(storedAppearance);
  return (
    <>
      <PageHeading note={`You are signed in as ${email}. Your role is ${role}.`}>Account</PageHeading>
      <div className="two">
        <Card title="Password">
          <ChangePassword onChanged={() => {}} />
        </Card>
        <Card title="Second factor">
          <OwnFactors />
        </Card>
        <Card title="Appearance">
          <Select
            label="Appearance"
            description="It applies to this browser."
            value={appearance}
            choices={APPEARANCE_CHOICES}
            onChange={(value) => setAppearance(chooseAppearance(value))}
          />
        </Card>
        <Card title="Notices">
          <p>
            Mails tell you when a subscription fails, a key ends, or your account is used from a new network.
          </p>
          <p>
            <Link to="/account/notices">Choose your notices</Link>
          </p>
        </Card>
      </div>
    </>
  );
};
