import type { SignedInOperator } from './data-folder.ts';
import type { DemoOperator } from './practice.ts';
import { DemoProblem } from './problem.ts';

const UNAUTHORIZED = 401;

/** @throws {DemoProblem} when the operator cannot sign in */
export const signIn = async (api: string, operator: DemoOperator): Promise<SignedInOperator> => {
  const response = await fetch(`${api}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: operator.email, password: operator.password }),
  });
  if (response.status === UNAUTHORIZED) {
    throw new DemoProblem(
      `${operator.email} cannot sign in: the password was changed, or the operator was disabled or deleted. To start with new data, run: npm run reset`,
    );
  }
  if (!response.ok) throw new DemoProblem(`${operator.email} cannot sign in: ${await response.text()}`);
  const { token } = (await response.json()) as { token: string };
  return { ...operator, token };
};
