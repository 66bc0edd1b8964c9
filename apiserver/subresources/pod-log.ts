import { type FieldError, forbiddenField, invalid, invalidField } from '../../api/status/index.ts';
import type { PodLogOptions } from '../../api/types/core-v1-connect.ts';

/**
 * Validates log options
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/apis/core/validation/validation.go,
 * `ValidatePodLogOptions`). Throws a 422 if they are invalid.
 */
export function validateLogOptions(name: string, options: object): void {
  const { tailLines, limitBytes, sinceSeconds, sinceTime } = options as PodLogOptions;
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0)
    errors.push(invalidField('tailLines', tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(invalidField('limitBytes', limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    errors.push(forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  else if (sinceSeconds !== undefined && sinceSeconds < 1)
    errors.push(invalidField('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, name, errors);
}

/** Returns the path and query at which a node's agent serves the log of a container. */
export function logPath(namespace: string, pod: string, container: string, options: object): string {
  const { follow, previous, timestamps, sinceSeconds, sinceTime, tailLines, limitBytes } =
    options as PodLogOptions;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({
    follow,
    limitBytes,
    previous,
    sinceSeconds,
    sinceTime,
    tailLines,
    timestamps,
  }))
    if (value !== undefined && value !== false) query.set(name, String(value));
  const path = [namespace, pod, container].map(encodeURIComponent).join('/');
  return `/containerLogs/${path}${query.size === 0 ? '' : `?${query.toString()}`}`;
}
