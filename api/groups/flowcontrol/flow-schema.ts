import { carryOver } from '../../kinds/carry-over.ts';
import { ageColumn, column, NONE, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import type { FlowSchema } from '../../types/flowcontrol-v1beta2-flow-schema.ts';
import { validateFlowSchema } from '../../validation/control-plane/flow-schema.ts';
import { statusAloneSubresource } from '../status-subresource.ts';
import { fixedFlowSchemas } from './defaults.ts';
import { validateConditions } from './priority-level.ts';

const DEFAULT_PRECEDENCE = 1000;
const FIXED = new Map(fixedFlowSchemas.map(({ name, spec }) => [name, spec]));

/** Strategy of FlowSchemas. */
export const flowSchemaStrategy: Strategy<FlowSchema> = {
  defaults({ spec }) {
    if (spec) spec.matchingPrecedence ||= DEFAULT_PRECEDENCE;
  },
  prepareForCreate(next) {
    next.status = {};
  },
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'status'),
  validate: (next) => [
    ...validateFlowSchema(next, FIXED.get(next.metadata?.name ?? '')),
    ...validateConditions(next.status?.conditions),
  ],
};

const status = statusAloneSubresource<FlowSchema>((next) => validateConditions(next.status?.conditions));

/** Subresources of FlowSchemas. */
export const flowSchemaSubresources = { status };

/**
 * Returns `True` if the PriorityLevelConfiguration of a FlowSchema is missing, `False` if it exists, and `?`
 * until the controller has checked.
 */
const missingLevel = ({ status: reported }: DeepReadonly<FlowSchema>): string =>
  (reported?.conditions ?? []).find(({ type }) => type === 'Dangling')?.status ?? '?';

const precedenceOf = ({ spec }: DeepReadonly<FlowSchema>): number => spec?.matchingPrecedence ?? 0;

/** Compares FlowSchemas by precedence, the order in which they are matched. */
export const flowSchemaOrder = (one: DeepReadonly<FlowSchema>, other: DeepReadonly<FlowSchema>): number =>
  precedenceOf(one) - precedenceOf(other);

/** Table columns of FlowSchemas. */
export const flowSchemaColumns: readonly Column<FlowSchema>[] = [
  nameColumn,
  column<FlowSchema>(
    'PriorityLevel',
    ({ spec }) => spec?.priorityLevelConfiguration?.name ?? '',
    '`name` is the name of the priority level configuration being referenced Required.',
  ),
  column<FlowSchema>(
    'MatchingPrecedence',
    precedenceOf,
    '`matchingPrecedence` is used to choose among the FlowSchemas that match a given request. The chosen FlowSchema is among those with the numerically lowest (which we take to be logically highest) MatchingPrecedence.  Each MatchingPrecedence value must be ranged in [1,10000]. Note that if the precedence is not specified, it will be set to 1000 as default.',
  ),
  column<FlowSchema>(
    'DistinguisherMethod',
    ({ spec }) => spec?.distinguisherMethod?.type ?? NONE,
    '`distinguisherMethod` defines how to compute the flow distinguisher for requests that match this schema. `nil` specifies that the distinguisher is disabled and thus will always be the empty string.',
  ),
  ageColumn,
  column<FlowSchema>(
    'MissingPL',
    missingLevel,
    'references a broken or non-existent PriorityLevelConfiguration',
  ),
];
