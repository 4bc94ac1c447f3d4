import { useNavigate } from '@tanstack/react-router';
import { ChevronsUpDown, CircleUserRound } from 'lucide-react';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Menu } from '../components/menus/Menu.tsx';
import { visibleText } from '../components/texts/visible-text.ts';
import { initialsOf } from '../principals/initials.ts';
import { useSession } from '../session/session.ts';
import { useSharedValue } from '../shared-value.ts';
import { APPEARANCE_CHOICES, chooseAppearance, storedAppearance } from './appearance.ts';
import { hideSteps, stepsHidden } from './first-steps.ts';
import '../components/page-parts/Avatar.css';
import './Person.css';

/**
 * Who is signed in and for which practice, with a menu: the page Account, the appearance and the end of the session.
 *
 * @param props.isSmall shows only an icon
 */
export const Person = ({ isSmall = false, onSignOut }: { isSmall?: boolean; onSignOut(): void }) => {
  const { email = '', name = email, organization, role } = useSession();
  const isHidden = useSharedValue(stepsHidden);
  const navigate = useNavigate();
  const [appearance, setAppearance] = useState<string>(storedAppearance);
  return (
    <Menu
      label="Account menu"
      button={
        isSmall ? (
          <Button className="subtle icon" aria-label="Account menu">
            <CircleUserRound aria-hidden="true" />
          </Button>
        ) : (
          <Button className="subtle person">
            <span className="hidden">Account menu: </span>
            <span className="avatar" aria-hidden="true">
              {initialsOf(name)}
            </span>
            <span className="clip">
              <b className="clip">{visibleText(organization.name)}</b>
              <span className="clip">{visibleText(name)}</span>
            </span>
            <ChevronsUpDown aria-hidden="true" />
          </Button>
        )
      }
      choice={{
        label: 'Appearance',
        value: appearance,
        choices: APPEARANCE_CHOICES,
        onChange: (value) => setAppearance(chooseAppearance(value)),
      }}
      actions={[
        { id: 'account', name: 'Account', act: () => void navigate({ to: '/account' }) },
        ...(role === 'administrator' && isHidden
          ? [
              {
                id: 'first-steps',
                name: 'Show first steps',
                act() {
                  hideSteps(false);
                  void navigate({ to: '/' });
                },
              },
            ]
          : []),
        { id: 'sign-out', name: 'Sign out', act: onSignOut },
      ]}
    />
  );
};
