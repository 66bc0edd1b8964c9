import type { SourceOperator } from '../change.ts';
import { callOperators } from './calls.ts';
import { conditionOperators } from './conditions.ts';
import { statementOperators } from './statements.ts';
import { valueOperators } from './values.ts';

/** All kinds of mistakes, in the order of `--operators`. */
export const sourceOperators: readonly SourceOperator[] = [
  ...conditionOperators,
  ...valueOperators,
  ...callOperators,
  ...statementOperators,
];
