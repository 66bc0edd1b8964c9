import type { DeepReadonly } from '../../kinds/kind.ts';
import { type FieldErrors, invalidField, mapKey, requiredField } from '../../status/field-errors.ts';
import { goQuote } from '../../status/go-quote.ts';
import type { CustomResourceDefinition } from '../../types/apiextensions-v1.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';

type Definition = DeepReadonly<CustomResourceDefinition>;

/**
 * Validates that a CustomResourceDefinition in a protected group names its approval, or the reason why it has
 * no approval (KEP-1111,
 * https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/1111-api-approval).
 */
export function validateApproval(
  next: Definition,
  previous: Definition | undefined,
  vocabulary: Vocabulary,
): FieldErrors {
  const { groupSuffix, domain, product } = vocabulary;
  const { group } = next.spec;
  if (![groupSuffix, domain].some((owned) => group === owned || group.endsWith(`.${owned}`))) return [];
  const key = `api-approved.${domain}`;
  const given = next.metadata?.annotations?.[key] ?? '';
  const state = approvalOf(given);
  if (previous && approvalOf(previous.metadata?.annotations?.[key] ?? '') === state) return [];
  const field = mapKey('metadata.annotations', key);
  const asked = `protected groups must have approval annotation ${goQuote(key)}`;
  const see = `see https://github.com/${product}/enhancements/pull/1111`;
  if (state === 'missing') return [requiredField(field, `${asked}, ${see}`)];
  if (state !== 'invalid') return [];
  const detail = `${asked} with either a URL or a reason starting with "unapproved", ${see}`;
  return [invalidField(field, given, detail)];
}

function approvalOf(annotation: string): 'missing' | 'bypassed' | 'approved' | 'invalid' {
  if (annotation === '') return 'missing';
  if (annotation.startsWith('unapproved')) return 'bypassed';
  return URL.canParse(annotation) && new URL(annotation).host !== '' ? 'approved' : 'invalid';
}
