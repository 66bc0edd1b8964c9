import { carryOver, sameValue } from '../../kinds/carry-over.ts';
import { ageColumn, column, NONE, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  duplicateField,
  forbiddenField,
  index,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type {
  LimitResponse,
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
  QueuingConfiguration,
} from '../../types/flowcontrol-v1beta2.ts';
import { invalidTyped } from '../../validation/go-text/dump.ts';
import { statusAloneSubresource } from '../status-subresource.ts';
import { priorityLevels } from './defaults.ts';

type Frozen = DeepReadonly<PriorityLevelConfiguration>;

const EXEMPT = 'exempt';
const MAX_QUEUES = 10_000_000;
/** Number of bits of the hash that selects the queues of a request. */
const HASH_BITS = 60;

/** Specs of the immutable PriorityLevelConfigurations, by name. */
const MANDATORY = new Map(priorityLevels.filter(({ fixed }) => fixed).map(({ name, spec }) => [name, spec]));

/** Strategy of PriorityLevelConfigurations. */
export const priorityLevelStrategy: Strategy<PriorityLevelConfiguration> = {
  defaults(level) {
    const limited = level.spec?.limited;
    if (limited === undefined) return;
    limited.assuredConcurrencyShares ||= 30;
    const queuing = limited.limitResponse?.queuing;
    if (queuing === undefined) return;
    queuing.queues ||= 64;
    queuing.handSize ||= 8;
    queuing.queueLengthLimit ||= 50;
  },
  prepareForCreate(next) {
    next.status = {};
  },
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'status'),
  validate: (next) => [...validateSpec(next), ...validateMandatory(next), ...validateStatus(next)],
};

const status = statusAloneSubresource<PriorityLevelConfiguration>((next) => validateStatus(next));

/** Subresources of PriorityLevelConfigurations. */
export const priorityLevelSubresources = { status };

/** Checks the rules of `ValidatePriorityLevelConfigurationSpec` in Kubernetes 1.24. */
function validateSpec({ metadata, spec }: Frozen): FieldErrors {
  const type = spec?.type ?? '';
  const errors: FieldError[] = [];
  if ((metadata?.name === EXEMPT) !== (type === 'Exempt')) {
    errors.push(invalidField('spec.type', type, "type must be 'Exempt' if and only if `name` is 'exempt'"));
  }
  if (type === 'Exempt') {
    if (spec?.limited) errors.push(forbiddenField('spec.limited', 'must be nil if the type is not Limited'));
  } else if (type !== 'Limited') {
    errors.push(notSupportedField('spec.type', type, ['Exempt', 'Limited']));
  } else if (spec?.limited === undefined) {
    errors.push(requiredField('spec.limited', 'must not be empty when type is Limited'));
  } else errors.push(...validateLimited(spec.limited, 'spec.limited'));
  return errors;
}

function validateLimited(
  limited: DeepReadonly<LimitedPriorityLevelConfiguration>,
  path: string,
): FieldErrors {
  const shares = limited.assuredConcurrencyShares ?? 0;
  return [
    ...positive(child(path, 'assuredConcurrencyShares'), shares),
    ...validateLimitResponse(limited.limitResponse, child(path, 'limitResponse')),
  ];
}

const positive = (field: string, received: number): FieldErrors =>
  received > 0 ? [] : [invalidField(field, received, 'must be positive')];

function validateLimitResponse(response: DeepReadonly<LimitResponse> | undefined, path: string): FieldErrors {
  const queuing = child(path, 'queuing');
  switch (response?.type) {
    case 'Reject':
      return response.queuing === undefined
        ? []
        : [forbiddenField(queuing, 'must be nil if limited.limitResponse.type is not Limited')];
    case 'Queue':
      return response.queuing === undefined
        ? [requiredField(queuing, 'must not be empty if limited.limitResponse.type is Limited')]
        : validateQueuing(response.queuing, queuing);
    default:
      return [notSupportedField(child(path, 'type'), response?.type ?? '', ['Queue', 'Reject'])];
  }
}

function validateQueuing(queuing: DeepReadonly<QueuingConfiguration>, path: string): FieldErrors {
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = queuing;
  const errors: FieldError[] = [...positive(child(path, 'queueLengthLimit'), queueLengthLimit)];
  errors.push(...positive(child(path, 'queues'), queues));
  if (queues > MAX_QUEUES) {
    errors.push(invalidField(child(path, 'queues'), queues, `must not be greater than ${MAX_QUEUES}`));
  }
  const bits = Math.ceil(Math.log2(queues) * handSize);
  const hand = child(path, 'handSize');
  if (handSize <= 0) errors.push(...positive(hand, handSize));
  else if (handSize > queues) {
    errors.push(invalidField(hand, handSize, `should not be greater than queues (${queues})`));
  } else if (bits > HASH_BITS) {
    errors.push(
      invalidField(
        hand,
        handSize,
        `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${HASH_BITS}`,
      ),
    );
  }
  return errors;
}

function validateMandatory({ metadata, spec }: Frozen): FieldErrors {
  const name = metadata?.name ?? '';
  const fixed = MANDATORY.get(name);
  if (fixed === undefined || sameValue(spec, fixed)) return [];
  const detail = `spec of '${name}' must equal the fixed value`;
  return [invalidTyped('spec', 'flowcontrol.PriorityLevelConfigurationSpec', spec ?? {}, detail)];
}

const validateStatus = ({ status: reported }: Frozen): FieldErrors =>
  validateConditions(reported?.conditions);

/** Validates that a PriorityLevelConfiguration or FlowSchema has at most one condition of each type. */
export function validateConditions(
  conditions: readonly { readonly type?: string }[] | undefined,
): FieldErrors {
  const seen = new Set<string>();
  return (conditions ?? []).flatMap(({ type = '' }, at) => {
    const field = child(index('status.conditions', at), 'type');
    const errors: FieldError[] = [];
    if (seen.has(type)) errors.push(duplicateField(field, type));
    seen.add(type);
    if (type === '') errors.push(requiredField(field, 'must not be empty'));
    return errors;
  });
}

const queuingCell = (field: keyof QueuingConfiguration) => (level: Frozen) =>
  level.spec?.limited?.limitResponse?.queuing?.[field] ?? NONE;

/** Table columns of PriorityLevelConfigurations. */
export const priorityLevelColumns: readonly Column<PriorityLevelConfiguration>[] = [
  nameColumn,
  column<PriorityLevelConfiguration>(
    'Type',
    (level) => level.spec?.type ?? '',
    `\`type\` indicates whether this priority level is subject to limitation on request execution.  A value of \`"Exempt"\` means that requests of this priority level are not subject to a limit (and thus are never queued) and do not detract from the capacity made available to other priority levels.  A value of \`"Limited"\` means that (a) requests of this priority level _are_ subject to limits and (b) some of the server's limited capacity is made available exclusively to this priority level. Required.`,
  ),
  column<PriorityLevelConfiguration>(
    'AssuredConcurrencyShares',
    (level) => level.spec?.limited?.assuredConcurrencyShares ?? NONE,
    "`assuredConcurrencyShares` (ACS) configures the execution limit, which is a limit on the number of requests of this priority level that may be exeucting at a given time.  ACS must be a positive number. The server's concurrency limit (SCL) is divided among the concurrency-controlled priority levels in proportion to their assured concurrency shares. This produces the assured concurrency value (ACV) --- the number of requests that may be executing at a time --- for each such priority level:              ACV(l) = ceil( SCL * ACS(l) / ( sum[priority levels k] ACS(k) ) )  bigger numbers of ACS mean more reserved concurrent requests (at the expense of every other PL). This field has a default value of 30.",
  ),
  column<PriorityLevelConfiguration>(
    'Queues',
    queuingCell('queues'),
    '`queues` is the number of queues for this priority level. The queues exist independently at each apiserver. The value must be positive.  Setting it to 1 effectively precludes shufflesharding and thus makes the distinguisher method of associated flow schemas irrelevant.  This field has a default value of 64.',
  ),
  column<PriorityLevelConfiguration>(
    'HandSize',
    queuingCell('handSize'),
    "`handSize` is a small positive number that configures the shuffle sharding of requests into queues.  When enqueuing a request at this priority level the request's flow identifier (a string pair) is hashed and the hash value is used to shuffle the list of queues and deal a hand of the size specified here.  The request is put into one of the shortest queues in that hand. `handSize` must be no larger than `queues`, and should be significantly smaller (so that a few heavy flows do not saturate most of the queues).  See the user-facing documentation for more extensive guidance on setting this field.  This field has a default value of 8.",
  ),
  column<PriorityLevelConfiguration>(
    'QueueLengthLimit',
    queuingCell('queueLengthLimit'),
    '`queueLengthLimit` is the maximum number of requests allowed to be waiting in a given queue of this priority level at a time; excess requests are rejected.  This value must be positive.  If not specified, it will be defaulted to 50.',
  ),
  ageColumn,
];
