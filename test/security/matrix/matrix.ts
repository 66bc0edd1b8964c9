import { unauthenticated } from './unauthenticated.ts';
import { users } from './users.ts';
import { administrators } from './administrators.ts';
import { accounts } from './accounts.ts';
import { nodes } from './nodes.ts';
import { impersonation } from './impersonation.ts';
import type { Section } from './section.ts';

/** All sections of the authorization matrix. */
export const matrix: readonly Section[] = [
  ...unauthenticated,
  ...users,
  ...administrators,
  ...accounts,
  ...nodes,
  ...impersonation,
];
