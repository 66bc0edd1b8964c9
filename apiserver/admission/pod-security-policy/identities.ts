import type { DeepReadonly } from '../../../api/kinds/index.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  invalidField,
  requiredField,
} from '../../../api/status/index.ts';
import type { PodSecurityPolicySpec } from '../../../api/types/policy-v1beta1.ts';
import { inGo, invalidGo } from './go-values.ts';
import type { Int64 } from '../../../api/schema/index.ts';

type Spec = DeepReadonly<PodSecurityPolicySpec>;
type Ranges = readonly { readonly min: Int64; readonly max: Int64 }[];

const isWithin = (ranges: Ranges, id: Int64): boolean =>
  ranges.some(({ min, max }) => min <= id && id <= max);

/** Formats ranges as Go prints them. */
const rangesText = (ranges: Ranges): string =>
  `must be in the ranges: [${ranges.map(({ min, max }) => `{${min} ${max}}`).join(' ')}]`;

/** Rule of a policy for primary, supplemental or file system groups. */
export interface GroupRule {
  /** Group that is set on pods without groups; undefined if the rule sets none. */
  readonly generated: Int64 | undefined;
  validate(path: string, groups: readonly Int64[]): FieldErrors;
}

const ANY_GROUP: GroupRule = { generated: undefined, validate: () => [] };

/** Creates a rule. Throws if the rule is unknown or lacks ranges. */
export function groupRule(
  options: { readonly rule?: string; readonly ranges?: Ranges } | undefined,
  sort: string,
): GroupRule {
  const { rule = '', ranges = [] } = options ?? {};
  if (rule === 'RunAsAny') return ANY_GROUP;
  if (rule !== 'MustRunAs' && rule !== 'MayRunAs')
    throw new Error(`Unrecognized ${sort} strategy type ${rule}`);
  if (ranges.length === 0) throw new Error(`ranges must be supplied for ${rule}`);
  const isRequired = rule === 'MustRunAs';
  return {
    generated: isRequired ? ranges[0]?.min : undefined,
    validate(path, groups) {
      const shown = inGo('int64', groups.map(String));
      const errors: FieldError[] = [];
      if (isRequired && groups.length === 0)
        errors.push(invalidGo(path, shown, 'unable to validate empty groups against required ranges'));
      for (const group of groups)
        if (!isWithin(ranges, group))
          errors.push(invalidGo(path, shown, `group ${group} ${rangesText(ranges)}`));
      return errors;
    },
  };
}

/** Creates the rule for the primary group. If the policy has no rule, every group is allowed. */
export const primaryGroupRule = ({ runAsGroup }: Spec): GroupRule =>
  runAsGroup === undefined ? ANY_GROUP : groupRule(runAsGroup, 'RunAsGroup');

/** Rule of a policy for the user of containers. */
export interface UserRule {
  readonly generated: Int64 | undefined;
  /** True if `runAsNonRoot` is set on containers without a user. */
  readonly marksNonRoot: boolean;
  /** Validates the user; `path` is the field path of the container's security context. */
  validate(path: string, runAsNonRoot: boolean | undefined, runAsUser: Int64 | undefined): FieldErrors;
}

/** Creates a rule. Throws if the rule is unknown or lacks ranges. */
export function userRule({ runAsUser }: Spec): UserRule {
  const { rule = '', ranges = [] } = runAsUser ?? {};
  switch (rule) {
    case 'RunAsAny':
      return { generated: undefined, marksNonRoot: false, validate: () => [] };
    case 'MustRunAsNonRoot':
      return { generated: undefined, marksNonRoot: true, validate: validateNonRoot };
    case 'MustRunAs':
      if (ranges.length === 0) throw new Error('MustRunAs requires at least one range');
      return {
        generated: ranges[0]?.min,
        marksNonRoot: false,
        validate(path, _runAsNonRoot, user) {
          const at = child(path, 'runAsUser');
          if (user === undefined) return [requiredField(at)];
          return isWithin(ranges, user) ? [] : [invalidField(at, user, rangesText(ranges))];
        },
      };
    default:
      throw new Error(`Unrecognized RunAsUser strategy type ${rule}`);
  }
}

function validateNonRoot(
  path: string,
  runAsNonRoot: boolean | undefined,
  runAsUser: Int64 | undefined,
): FieldErrors {
  const marker = child(path, 'runAsNonRoot');
  if (runAsNonRoot === undefined && runAsUser === undefined) return [requiredField(marker, 'must be true')];
  if (runAsNonRoot === false) return [invalidField(marker, false, 'must be true')];
  if (runAsUser === 0)
    return [invalidField(child(path, 'runAsUser'), 0, 'running with the root UID is forbidden')];
  return [];
}
