import {
  type Infer,
  int32,
  listOf,
  optional,
  ref,
  required,
  string,
  struct,
  time,
  value,
  wordOf,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { ObjectMeta } from './meta-v1.ts';

/** Number, length and use of a priority level's queues. */
export const QueuingConfiguration = struct('api.flowcontrol.v1beta2.QueuingConfiguration', {
  queues: required(1, int32, { lenient: true }),
  handSize: required(2, int32, { lenient: true }),
  queueLengthLimit: required(3, int32, { lenient: true }),
});
export interface QueuingConfiguration extends Infer<typeof QueuingConfiguration> {}

/** Treatment of requests that exceed the concurrency of a priority level: rejection or queuing. */
export const LimitResponse = struct(
  'api.flowcontrol.v1beta2.LimitResponse',
  {
    type: required(1, wordOf('Queue', 'Reject')),
    queuing: optional(2, ref<QueuingConfiguration>(QueuingConfiguration)),
  },
  { discriminator: 'type' },
);
export interface LimitResponse extends Infer<typeof LimitResponse> {}

/** Concurrency shares of a limited priority level, and its treatment of excess requests. */
export const LimitedPriorityLevelConfiguration = struct(
  'api.flowcontrol.v1beta2.LimitedPriorityLevelConfiguration',
  {
    assuredConcurrencyShares: required(1, int32, { lenient: true }),
    limitResponse: value(2, ref<LimitResponse>(LimitResponse)),
  },
);
export interface LimitedPriorityLevelConfiguration extends Infer<typeof LimitedPriorityLevelConfiguration> {}

/** Spec of a PriorityLevelConfiguration. */
export const PriorityLevelConfigurationSpec = struct(
  'api.flowcontrol.v1beta2.PriorityLevelConfigurationSpec',
  {
    type: required(1, wordOf('Exempt', 'Limited')),
    limited: optional(2, ref<LimitedPriorityLevelConfiguration>(LimitedPriorityLevelConfiguration)),
  },
  { discriminator: 'type' },
);
export interface PriorityLevelConfigurationSpec extends Infer<typeof PriorityLevelConfigurationSpec> {}

/** Condition of a PriorityLevelConfiguration. */
export const PriorityLevelConfigurationCondition = struct(
  'api.flowcontrol.v1beta2.PriorityLevelConfigurationCondition',
  {
    type: value(1, string),
    status: value(2, wordOf('False', 'True', 'Unknown')),
    lastTransitionTime: value(3, time),
    reason: value(4, string),
    message: value(5, string),
  },
);
export interface PriorityLevelConfigurationCondition extends Infer<
  typeof PriorityLevelConfigurationCondition
> {}

/** Status of a PriorityLevelConfiguration. */
export const PriorityLevelConfigurationStatus = struct(
  'api.flowcontrol.v1beta2.PriorityLevelConfigurationStatus',
  {
    conditions: value(
      1,
      listOf(ref<PriorityLevelConfigurationCondition>(PriorityLevelConfigurationCondition)),
      { listType: 'map', listMapKeys: ['type'] },
    ),
  },
);
export interface PriorityLevelConfigurationStatus extends Infer<typeof PriorityLevelConfigurationStatus> {}

/** Kind PriorityLevelConfiguration: the server's concurrency for a class of requests. */
export const PriorityLevelConfiguration = struct('api.flowcontrol.v1beta2.PriorityLevelConfiguration', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<PriorityLevelConfigurationSpec>(PriorityLevelConfigurationSpec)),
  status: value(3, ref<PriorityLevelConfigurationStatus>(PriorityLevelConfigurationStatus)),
});
export interface PriorityLevelConfiguration extends Infer<typeof PriorityLevelConfiguration> {}
