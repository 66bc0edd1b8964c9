import type { PodTemplateSpec } from '../types/core-v1-pod.ts';
import { defaultPodSpec } from './core/pod-defaults.ts';

/** Sets release 1.24's defaults of a template's pods, in place, and returns the template. */
export function defaultTemplate(template: PodTemplateSpec): PodTemplateSpec {
  template.spec ??= { containers: [] };
  defaultPodSpec(template.spec, { requests: false });
  return template;
}
