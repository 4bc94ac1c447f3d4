import { Button } from 'react-aria-components';
import { CopyText } from '../components/CopyText.tsx';

/** A new password of an operator, shown this once. */
export const ShownPassword = ({
  email,
  password,
  onClose,
}: {
  email: string;
  password: string;
  onClose(): void;
}) => (
  <>
    <p>
      This is the password of {email}. It is shown only once. Its owner must choose another one at the first
      sign-in.
    </p>
    <CopyText label="Password" text={password} />
    <div className="buttons">
      <Button className="primary" onPress={onClose}>
        Done
      </Button>
    </div>
  </>
);
