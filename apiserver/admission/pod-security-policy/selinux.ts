import type { DeepReadonly } from '../../../api/kinds/index.ts';
import { type FieldErrors, child, invalidField, requiredField } from '../../../api/status/index.ts';
import type { SELinuxOptions } from '../../../api/types/core-v1-container.ts';
import type { PodSecurityPolicySpec } from '../../../api/types/policy-v1beta1.ts';

type Options = DeepReadonly<SELinuxOptions>;

/** Rule of a policy for SELinux labels. */
export interface SeLinuxRule {
  readonly generated: Options | undefined;
  validate(path: string, options: Options | undefined): FieldErrors;
}

/** Creates the rule for SELinux labels. Throws if the rule is unknown or lacks labels. */
export function seLinuxRule({ seLinux }: DeepReadonly<PodSecurityPolicySpec>): SeLinuxRule {
  const rule = seLinux?.rule ?? '';
  if (rule === 'RunAsAny') return { generated: undefined, validate: () => [] };
  if (rule !== 'MustRunAs') throw new Error(`Unrecognized SELinuxContext strategy type ${rule}`);
  const wanted = seLinux?.seLinuxOptions;
  if (wanted === undefined) throw new Error('MustRunAs requires SELinuxOptions');
  return {
    generated: wanted,
    validate(path, options) {
      if (options === undefined) return [requiredField(path)];
      return (['level', 'role', 'type', 'user'] as const).flatMap((part) => {
        const [is, must] = [options[part] ?? '', wanted[part] ?? ''];
        const agrees = is === must || (part === 'level' && sameLevel(is, must));
        return agrees ? [] : [invalidField(child(path, part), is, `must be ${must}`)];
      });
    },
  };
}

/** True if two levels are equal, whatever the order of their categories. */
function sameLevel(left: string, right: string): boolean {
  const [sensitivity, categories, ...rest] = left.split(':');
  const [otherSensitivity, otherCategories, ...otherRest] = right.split(':');
  if (categories === undefined || otherCategories === undefined) return false;
  const sorted = (list: string): string => list.split(',').sort().join(',');
  return (
    rest.length === 0 &&
    otherRest.length === 0 &&
    sensitivity === otherSensitivity &&
    sorted(categories) === sorted(otherCategories)
  );
}
