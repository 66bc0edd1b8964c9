import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Definition, Finding } from './conditions.ts';

/** Returns the type of the approval condition, for example `KubernetesAPIApprovalPolicyConformant`. */
export const approvalConditionType = ({ product }: Vocabulary): string =>
  `${product.charAt(0).toUpperCase()}${product.slice(1)}APIApprovalPolicyConformant`;

/**
 * Returns the approval finding for a definition in an API group of the product itself
 * (https://github.com/kubernetes/enhancements/pull/1111). Returns undefined for any other group.
 */
export function decideApproval(definition: Definition, vocabulary: Vocabulary): Finding | undefined {
  const group = definition.spec?.group ?? '';
  const { groupSuffix, domain } = vocabulary;
  if (![groupSuffix, domain].some((owned) => group === owned || group.endsWith(`.${owned}`)))
    return undefined;
  const key = `api-approved.${domain}`;
  const annotation = definition.metadata?.annotations?.[key] ?? '';
  const found = (status: Finding['status'], reason: string, message: string): Finding => ({
    type: approvalConditionType(vocabulary),
    status,
    reason,
    message,
  });
  const see = `see https://github.com/${vocabulary.product}/enhancements/pull/1111`;
  const rule = `protected groups must have approval annotation ${JSON.stringify(key)}`;
  if (annotation === '') return found('False', 'MissingAnnotation', `${rule}, ${see}`);
  if (annotation.startsWith('unapproved'))
    return found('False', 'UnapprovedAnnotation', `not approved: ${JSON.stringify(annotation)}`);
  if (isUrl(annotation)) return found('True', 'ApprovedAnnotation', `approved in ${annotation}`);
  return found(
    'False',
    'InvalidAnnotation',
    `${rule} with either a URL or a reason starting with "unapproved", ${see}`,
  );
}

function isUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  return new URL(text).host !== '';
}
