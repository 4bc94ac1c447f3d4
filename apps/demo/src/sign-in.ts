import { Chairside, ChairsideError } from '@chairside/client';
import type { SignedInOperator } from './data-folder.ts';
import type { DemoOperator } from './practice.ts';
import { DemoProblem } from './problem.ts';

/** @throws {DemoProblem} when the operator cannot sign in */
export const signIn = async (api: string, operator: DemoOperator): Promise<SignedInOperator> => {
  const { email, password } = operator;
  try {
    const { token } = await Chairside.signIn({ baseUrl: api, email, password });
    return { ...operator, token };
  } catch (error) {
    if (!(error instanceof ChairsideError)) throw error;
    if (error.status !== 401) throw new DemoProblem(`${email} cannot sign in: ${error.message}`);
    throw new DemoProblem(
      `${email} cannot sign in: the password was changed, or the operator was disabled or deleted. To start with new data, run: npm run reset`,
    );
  }
};
