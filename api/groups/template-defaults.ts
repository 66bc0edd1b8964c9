import type { PodTemplateSpec } from '../types/core-v1-pod.ts';
import { defaultPodSpec } from './core/pod-defaults.ts';

/** Sets the defaults of release 1.24 in a pod template, in place, and returns the template. */
export function defaultTemplate(template: PodTemplateSpec): PodTemplateSpec {
  template.spec ??= { containers: [] };
  defaultPodSpec(template.spec, { requests: false });
  return template;
}
