import type { View } from '../driver/views.ts';
import type { OperatorDocument } from './operator-document.ts';

/** What the authorization server reads of an operator: neither the password hash, nor the e-mail address, nor networks. */
export type ViewedOperator = Pick<
  OperatorDocument,
  '_id' | 'organizationId' | 'role' | 'accessRevision' | 'disabledTime'
>;

/** The access of operators, for the database user of the dashboard, who may read no operator. */
export const OPERATOR_ACCESS: View = {
  name: 'operatorAccessV1',
  viewOn: 'operators',
  pipeline: [{ $project: { organizationId: 1, role: 1, accessRevision: 1, disabledTime: 1 } }],
  page: 'docs/operation/install.md',
};
