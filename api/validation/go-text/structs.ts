import type { DeepReadonly } from '../../kinds/kind.ts';
import type { LabelSelector } from '../../types/meta-v1.ts';
import { goString, goStringMap, goStrings, goStruct } from './values.ts';

/** Formats an integer or string as Go's `%#v` prints an `IntOrString`. */
export const goIntOrString = (held: number | string): string =>
  goStruct('intstr.IntOrString', {
    Type: typeof held === 'string' ? '1' : '0',
    IntVal: String(typeof held === 'string' ? 0 : held),
    StrVal: goString(typeof held === 'string' ? held : ''),
  });

/** Formats a label selector like Go's `%#v`. */
export function goLabelSelector(selector: DeepReadonly<LabelSelector>): string {
  const requirements = (selector.matchExpressions ?? []).map((each) =>
    goStruct('v1.LabelSelectorRequirement', {
      Key: goString(each.key),
      Operator: goString(each.operator),
      Values: goStrings(each.values),
    }),
  );
  const list = selector.matchExpressions
    ? `[]v1.LabelSelectorRequirement{${requirements.join(', ')}}`
    : '[]v1.LabelSelectorRequirement(nil)';
  return goStruct('v1.LabelSelector', {
    MatchLabels: goStringMap(selector.matchLabels),
    MatchExpressions: list,
  });
}
