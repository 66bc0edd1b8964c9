import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { CronJob } from '../../../api/types/batch-v1.ts';
import type { PodTemplate } from '../../../api/types/core-v1-workload.ts';
import type { Deployment } from '../../../api/types/apps-v1.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import type { Container } from '../../../api/types/core-v1-container.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { type Subject, containersOf, subjectOf } from './check.ts';

type Named = { readonly group: string; readonly plural: string };
type Any = DeepReadonly<ApiObject>;

const WITH_TEMPLATE: { readonly [group: string]: readonly string[] } = {
  '': ['replicationcontrollers', 'podtemplates'],
  apps: ['replicasets', 'deployments', 'statefulsets', 'daemonsets'],
  batch: ['jobs', 'cronjobs'],
};

/** True if objects of a kind contain a pod template. */
export const hasTemplate = ({ group, plural }: Named): boolean =>
  (Object.hasOwn(WITH_TEMPLATE, group) ? WITH_TEMPLATE[group] : undefined)?.includes(plural) ?? false;

/** Returns the pod template of an object. Returns undefined if the object has no template. */
export function templateOf({ plural }: Named, object: Any): Subject | undefined {
  const template = templateIn(plural, object);
  return template?.spec && subjectOf(template.metadata, template.spec);
}

function templateIn(plural: string, object: Any): DeepReadonly<PodTemplate>['template'] {
  if (plural === 'podtemplates') return (object as DeepReadonly<PodTemplate>).template;
  if (plural === 'cronjobs') return (object as DeepReadonly<CronJob>).spec?.jobTemplate?.spec?.template;
  // All other kinds have the template at the same path.
  return (object as DeepReadonly<Deployment>).spec?.template;
}

/**
 * True if an update of a pod changes a field that policies restrict: images, the number of containers, or
 * seccomp annotations.
 */
export function isSignificant(
  next: DeepReadonly<Pod>,
  previous: DeepReadonly<Pod>,
  vocabulary: Vocabulary,
): boolean {
  const [now, before] = [next, previous].map((pod) =>
    subjectOf(pod.metadata, pod.spec ?? { containers: [] }),
  );
  if (now === undefined || before === undefined) return true;
  const changed = (key: string): boolean => now.annotations[key] !== before.annotations[key];
  if (changed(vocabulary.key('seccomp.security.alpha', 'pod'))) return true;
  if (containersOf(now).length > containersOf(before).length) return true;
  const known = new Map(containersOf(before).map((container) => [container.name, container]));
  return containersOf(now).some((container: DeepReadonly<Container>) => {
    const found = known.get(container.name);
    return (
      found === undefined ||
      found.image !== container.image ||
      changed(vocabulary.key('container.seccomp.security.alpha', container.name))
    );
  });
}
