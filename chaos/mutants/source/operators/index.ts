import type { SourceOperator } from '../change.ts';
import { callOperators } from './calls.ts';
import { conditionOperators } from './conditions.ts';
import { statementOperators } from './statements.ts';
import { valueOperators } from './values.ts';

/** All operators, in the order in which `--operators` lists them. */
export const sourceOperators: readonly SourceOperator[] = [
  ...conditionOperators,
  ...valueOperators,
  ...callOperators,
  ...statementOperators,
];
