import type { PodTemplateSpec } from '../types/core-v1-pod.ts';
import { defaultPodSpec } from './core/pod-defaults.ts';

/** The pods of a template, with what release 1.24 fills in. In place, and returned. */
export function defaultTemplate(template: PodTemplateSpec): PodTemplateSpec {
  template.spec ??= { containers: [] };
  defaultPodSpec(template.spec, { requests: false });
  return template;
}
