import { jobs } from '../../api/groups/batch-v1.ts';
import { configMaps, namespaces, pods, secrets } from '../../api/groups/core-v1.ts';
import type { ApiObject, Kind } from '../../api/kinds/index.ts';
import type { JsonObject } from '../../api/schema/index.ts';

/** Kinds of the requests, with the parts of an object that a number selects. */
interface Subject {
  readonly kind: Kind<ApiObject>;
  readonly content: (value: number) => JsonObject;
  /** Writable subresources, with their content. */
  readonly subresources: { readonly [name: string]: (value: number) => JsonObject };
  readonly fieldSelectors: readonly string[];
}

const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
const asKind = (kind: unknown): Kind<ApiObject> => kind as Kind<ApiObject>;

export const subjects: { readonly [plural: string]: Subject } = {
  configmaps: {
    kind: asKind(configMaps),
    content: (value) => ({ data: { value: `${value}` }, ...(value === 3 ? { immutable: true } : {}) }),
    subresources: {},
    fieldSelectors: ['metadata.name=a', 'metadata.name!=a', 'metadata.namespace=one'],
  },
  secrets: {
    kind: asKind(secrets),
    content: (value) => ({
      data: { value: btoa(`${value}`) },
      ...(value === 3 ? { type: 'example.com/t' } : {}),
    }),
    subresources: {},
    fieldSelectors: ['type=Opaque', 'type!=Opaque'],
  },
  jobs: {
    kind: asKind(jobs),
    content: (value) => ({ spec: { parallelism: value, suspend: value === 3, template } }),
    subresources: { status: (value) => ({ status: { active: value } }) },
    fieldSelectors: ['status.successful=0', 'metadata.name=b'],
  },
  pods: {
    kind: asKind(pods),
    content: (value) => ({
      spec: {
        ...template.spec,
        ...(value === 1 ? {} : { nodeName: `n${value}` }),
        terminationGracePeriodSeconds: 30,
      },
    }),
    subresources: {
      status: (value) => ({ status: { phase: ['Pending', 'Running', 'Succeeded'][value - 1] ?? '' } }),
    },
    fieldSelectors: ['spec.nodeName=n2', 'status.phase!=Running', 'spec.restartPolicy=Never'],
  },
  namespaces: {
    kind: asKind(namespaces),
    content: () => ({}),
    subresources: {
      finalize: (value) => ({ spec: value === 1 ? {} : { finalizers: ['kubernetes'] } }),
      status: (value) => ({ status: { phase: value === 1 ? 'Active' : 'Terminating' } }),
    },
    fieldSelectors: ['status.phase=Active', 'status.phase=Terminating'],
  },
};

export function subjectOf(plural: string): Subject {
  const found = subjects[plural];
  if (!found) throw new Error(`no kind ${plural}`);
  return found;
}
