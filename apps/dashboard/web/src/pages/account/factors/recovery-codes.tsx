import { Button } from 'react-aria-components';
import { showSecret } from '../../../components/dialogs/one-time-secret.ts';

/** Shows recovery codes until they are kept. They can be copied and printed. */
export const showRecoveryCodes = (codes: readonly string[] | undefined): void => {
  if (codes === undefined) return;
  showSecret({
    title: 'Keep your recovery codes',
    label: 'Recovery codes',
    text: codes.join('\n'),
    explanation:
      'If you lose your phone, one of these codes lets you in. Each works once. Keep them where you do not keep your password: printed, or in a password manager. They are shown only once.',
    help: <Button onPress={() => window.print()}>Print</Button>,
  });
};
