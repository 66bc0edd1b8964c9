import { pods } from '../../api/groups/index.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import {
  ApiError,
  type FieldError,
  MODIFIED,
  badRequest,
  conflict,
  isConflict,
  notFound,
  notSupportedField,
  requiredField,
} from '../../api/status/index.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { Binding } from '../../api/types/core-v1-workload.ts';
import { toTime } from '../../base/clock/index.ts';
import { writeContext } from '../http/request/options.ts';
import type { VirtualHandler } from '../http/virtual/virtual.ts';
import { uidMismatch } from '../registry/write/uid-precondition.ts';
import { changedContext } from '../registry/write/write-context.ts';
import type { RequestContext } from '../request.ts';
import { type HandlerParts, SUCCESS } from './handler-parts.ts';

const RESOURCE = { group: '', resource: 'pods' };
const BINDING = { group: '', resource: 'pods/binding' };
/** Maximum number of attempts at a Binding without resource version that conflicts with other writes. */
const ATTEMPTS = 10;

/** Creates the handlers of `pods/binding` and the older `bindings`, which assign a pod to a node once. */
export function createBindingHandlers(options: HandlerParts): readonly VirtualHandler[] {
  const { registry, vocabulary, clock } = options;
  const reader = registry.reader(pods);

  async function assign(
    context: RequestContext,
    binding: Binding,
    namespace: string,
    name: string,
  ): Promise<void> {
    const pod = await reader.live(namespace, name);
    if (pod === undefined) throw notFound(RESOURCE, name);
    const { uid = '', resourceVersion = '' } = binding.metadata ?? {};
    if (uid !== '' && uid !== pod.metadata?.uid) {
      const key = `/registry/pods/${namespace}/${name}`;
      throw conflict(BINDING, name, uidMismatch(key, uid, pod.metadata?.uid ?? ''));
    }
    if (resourceVersion !== '' && resourceVersion !== pod.metadata?.resourceVersion) {
      throw conflict(BINDING, name, MODIFIED);
    }
    const rejection = unassignable(pod);
    if (rejection !== undefined) throw conflict(BINDING, name, rejection);
    const write = writeContext(context, 'CreateOptions', vocabulary);
    await registry
      .of(pods)
      .update(
        namespace,
        name,
        'binding',
        bound(pod, binding, clock.now()),
        changedContext(write, { isAdmitted: true }),
      );
  }

  async function bind(
    context: RequestContext,
    binding: Binding,
    namespace: string,
    name: string,
  ): Promise<void> {
    rejectInvalid(binding);
    for (let tries = 1; ; tries++)
      try {
        await assign(context, binding, namespace, name);
        return;
      } catch (thrown) {
        const isLost =
          isConflict(thrown) && thrown.message.endsWith(MODIFIED) && !binding.metadata?.resourceVersion;
        if (!isLost || tries === ATTEMPTS) throw thrown;
      }
  }

  const common = { group: '', version: 'v1' } as const;
  return [
    {
      ...common,
      resource: 'pods',
      subresource: 'binding',
      async handle(context, body, namespace, name) {
        if (body.metadata?.name !== name)
          throw badRequest('name in URL does not match name in Binding object');
        await bind(context, body as Binding, namespace, name);
        return SUCCESS;
      },
    },
    {
      ...common,
      resource: 'bindings',
      subresource: '',
      async handle(context, body, namespace) {
        await bind(context, body as Binding, namespace, body.metadata?.name ?? '');
        return SUCCESS;
      },
    },
  ];
}

/** Returns the reason why a pod cannot be assigned to a node, or undefined if it can. */
function unassignable({ metadata, spec }: DeepReadonly<Pod>): string | undefined {
  const name = metadata?.name ?? '';
  if (metadata?.deletionTimestamp !== undefined)
    return `pod ${name} is being deleted, cannot be assigned to a host`;
  return spec?.nodeName
    ? `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`
    : undefined;
}

/** Returns the pod assigned to its node: scheduled, and with the annotations of the Binding. */
export function bound(pod: DeepReadonly<Pod>, binding: Binding, nowMs: number): Pod {
  const next = structuredClone(pod) as Pod;
  next.spec = { ...(next.spec ?? { containers: [] }), nodeName: binding.target.name ?? '' };
  if (Object.keys(binding.metadata?.annotations ?? {}).length > 0) {
    next.metadata = {
      ...next.metadata,
      annotations: { ...next.metadata?.annotations, ...binding.metadata?.annotations },
    };
  }
  const conditions = next.status?.conditions ?? [];
  const before = conditions.find(({ type }) => type === 'PodScheduled');
  const unchanged = before?.status === 'True';
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastTransitionTime: unchanged ? (before.lastTransitionTime ?? '') : toTime(nowMs),
  } as const;
  const rest = conditions.filter((each) => each !== before);
  next.status = { ...next.status, conditions: [...rest, scheduled] };
  return next;
}

/**
 * Validates a Binding as upstream's `ValidatePodBinding` does. Its errors cause a 500 without a reason
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/apis/core/validation/validation.go).
 */
function rejectInvalid({ target }: Binding): void {
  const errors: FieldError[] = [];
  const { kind = '', name = '' } = target ?? {};
  if (kind !== '' && kind !== 'Node')
    errors.push(notSupportedField('target.kind', kind, ['Node', '<empty>']));
  if (name === '') errors.push(requiredField('target.name'));
  if (errors.length === 0) return;
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  throw new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`,
    code: 500,
  });
}
