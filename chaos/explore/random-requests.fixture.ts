import fc from 'fast-check';
import { configMaps } from '../../api/groups/core-v1.ts';
import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import type { JsonObject } from '../../api/schema/index.ts';
import { type Client, type PatchType, type ResourceClient, unchanged } from '../../runtime/index.ts';
import { subjectOf, subjects } from './random-subjects.fixture.ts';
import { GENERATED } from './twin-servers.fixture.ts';

type Anything = ApiObject & { readonly [field: string]: unknown };

/** Which version of an object a request states: none, the client's latest, its first, or one that never was. */
type Fence = 'none' | 'current' | 'first' | 'never';

/** One client request as data. */
export interface RandomRequest {
  readonly verb: 'create' | 'update' | 'patch' | 'delete' | 'get' | 'dated' | 'list' | 'listAll' | 'clear';
  readonly plural: string;
  readonly namespace: 'one' | 'two';
  readonly name: 'a' | 'b' | 'generated';
  readonly value: 1 | 2 | 3;
  readonly labels: { readonly [key: string]: string };
  readonly finalizers: readonly string[];
  readonly owners: readonly Owner[];
  readonly uid: Fence;
  readonly version: Fence;
  readonly subresource: boolean;
  readonly patch: PatchType;
  readonly dryRun: boolean;
  readonly policy?: 'Orphan' | 'Foreground' | 'Background';
  readonly graceSeconds?: number;
  readonly labelSelector?: string;
  readonly selectsField?: number;
  /** True if the condition on another object holds; undefined for no condition. */
  readonly holds?: boolean;
  /** Seconds to wait before the request. */
  readonly waitSeconds: number;
}

interface Owner {
  readonly name: 'a' | 'b';
  readonly controller: boolean;
}

const weighted = <T>(...choices: readonly (readonly [number, T])[]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));

const fence = weighted<Fence>([6, 'none'], [6, 'current'], [2, 'first'], [1, 'never']);

export const randomRequest: fc.Arbitrary<RandomRequest> = fc.record(
  {
    verb: weighted<RandomRequest['verb']>(
      [6, 'create'],
      [6, 'update'],
      [6, 'patch'],
      [5, 'delete'],
      [1, 'get'],
      [1, 'dated'],
      [2, 'list'],
      [1, 'listAll'],
      [1, 'clear'],
    ),
    plural: fc.constantFrom(...Object.keys(subjects)),
    namespace: weighted<RandomRequest['namespace']>([4, 'one'], [1, 'two']),
    name: weighted<RandomRequest['name']>([5, 'a'], [2, 'b'], [2, 'generated']),
    value: fc.constantFrom(1, 2, 3),
    labels: fc.constantFrom({}, { app: 'x' }, { app: 'y', tier: 'z' }),
    finalizers: fc.subarray(['example.com/hold', 'example.com/keep', 'orphan', 'foregroundDeletion']),
    owners: fc.array(fc.record<Owner>({ name: fc.constantFrom('a', 'b'), controller: fc.boolean() }), {
      maxLength: 2,
    }),
    uid: fence,
    version: fence,
    subresource: fc.boolean(),
    patch: weighted<PatchType>([4, 'merge'], [3, 'strategic'], [3, 'json'], [1, 'apply']),
    dryRun: weighted([6, false], [1, true]),
    policy: fc.constantFrom('Orphan', 'Foreground', 'Background'),
    graceSeconds: fc.constantFrom(0, 1, 60, -1),
    labelSelector: fc.constantFrom('app=x', 'app!=x', 'app in (x,y),tier', '!tier'),
    selectsField: fc.nat(2),
    holds: weighted([1, false], [3, true]),
    waitSeconds: weighted([4, 0], [1, 1], [1, 45]),
  },
  {
    requiredKeys: [
      'verb',
      'plural',
      'namespace',
      'name',
      'value',
      'labels',
      'finalizers',
      'owners',
      'uid',
      'version',
      'subresource',
      'patch',
      'dryRun',
      'waitSeconds',
    ],
  },
);

/** Name of the object that write conditions refer to. It never changes. */
export const GUARD = 'guard';

/** A client's memory of one server: what it saw of each object. Run-specific namespaces keep runs apart. */
export interface Seen {
  first(key: string): DeepReadonly<ApiObject> | undefined;
  current(key: string): DeepReadonly<ApiObject> | undefined;
  generated(collection: string): string | undefined;
  note(collection: string, object: DeepReadonly<ApiObject>): void;
}

export function createSeen(): Seen {
  const all = new Map<string, { first: DeepReadonly<ApiObject>; current: DeepReadonly<ApiObject> }>();
  const generated = new Map<string, string>();
  return {
    first: (key) => all.get(key)?.first,
    current: (key) => all.get(key)?.current,
    generated: (collection) => generated.get(collection),
    note(collection, object) {
      const { name = '' } = object.metadata ?? {};
      const key = `${collection}/${name}`;
      all.set(key, { first: all.get(key)?.first ?? object, current: object });
      if (name.startsWith(GENERATED)) generated.set(collection, name);
    },
  };
}

/** Suffix of the names of one run, which keeps the runs apart on one real server. */
export type Run = string;

/** Performs a request on one server. */
export class Requester {
  readonly #client: Client;
  readonly #seen: Seen;
  readonly #run: Run;

  constructor(client: Client, seen: Seen, run: Run) {
    this.#client = client;
    this.#seen = seen;
    this.#run = run;
  }

  async perform(request: RandomRequest): Promise<unknown> {
    const found = await this.#send(request);
    const isObject = typeof found === 'object' && found !== null && 'metadata' in found && !request.dryRun;
    if (isObject) this.#seen.note(this.#collectionOf(request), found as ApiObject);
    return found;
  }

  #collectionOf({ plural, namespace }: RandomRequest): string {
    return plural === 'namespaces' ? plural : `${plural} ${namespace}`;
  }

  #resource({ plural, namespace }: RandomRequest): ResourceClient<ApiObject> {
    const { kind } = subjectOf(plural);
    return kind.namespaced
      ? this.#client.namespaced(kind, `${namespace}-${this.#run}`)
      : this.#client.cluster(kind);
  }

  #nameOf(request: RandomRequest): string {
    const { name, namespace, plural } = request;
    if (plural === 'namespaces') return `${namespace}-${this.#run}`;
    return name === 'generated' ? (this.#seen.generated(this.#collectionOf(request)) ?? 'a') : name;
  }

  #stated(request: RandomRequest): { uid?: string; resourceVersion?: string } {
    const key = `${this.#collectionOf(request)}/${this.#nameOf(request)}`;
    const of = (fence: Fence, part: 'uid' | 'resourceVersion'): string | undefined => {
      if (fence === 'none') return undefined;
      if (fence === 'never') return part === 'uid' ? '0b7d' : '1';
      return this.#seen[fence](key)?.metadata?.[part];
    };
    const [uid, resourceVersion] = [of(request.uid, 'uid'), of(request.version, 'resourceVersion')];
    return { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
  }

  #metadata(request: RandomRequest): JsonObject {
    const { labels, finalizers, owners } = request;
    const references = owners.flatMap(({ name, controller }) => {
      const uid = this.#seen.current(`configmaps one/${name}`)?.metadata?.uid;
      return uid
        ? [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid, ...(controller ? { controller } : {}) }]
        : [];
    });
    return { labels: { ...labels }, finalizers: [...finalizers], ownerReferences: references };
  }

  #body(request: RandomRequest): Anything {
    const { plural, value } = request;
    const { kind, content } = subjectOf(plural);
    return {
      ...this.#client.typeMetaOf(kind),
      metadata: { name: this.#nameOf(request), ...this.#metadata(request), ...this.#stated(request) },
      ...content(value),
    } as Anything;
  }

  #subresourceOf({ subresource, plural, value }: RandomRequest): readonly [string, JsonObject] | undefined {
    const all = Object.entries(subjectOf(plural).subresources);
    const [name, content] = all[value % Math.max(1, all.length)] ?? [];
    return subresource && name !== undefined && content ? [name, content(value)] : undefined;
  }

  #options({ dryRun, holds }: RandomRequest) {
    const guard = this.#seen.current(`guard/${GUARD}`);
    const isHeld = holds !== undefined && guard !== undefined;
    return {
      ...(dryRun ? { dryRun } : {}),
      ...(isHeld
        ? { while: [holds ? unchanged(configMaps, guard) : unchanged(configMaps, guard, '1')] }
        : {}),
    };
  }

  #selection({ plural, labelSelector, selectsField }: RandomRequest) {
    const fieldSelector =
      selectsField === undefined ? undefined : subjectOf(plural).fieldSelectors[selectsField];
    return {
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined
        ? {}
        : { fieldSelector: fieldSelector.replace('=one', `=one-${this.#run}`) }),
    };
  }

  #deletion(request: RandomRequest) {
    const { policy, graceSeconds } = request;
    const { dryRun: _, ...conditions } = this.#options(request);
    return {
      ...conditions,
      preconditions: this.#stated(request),
      ...(policy === undefined ? {} : { propagationPolicy: policy }),
      ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
    };
  }

  async #send(request: RandomRequest): Promise<unknown> {
    const resource = this.#resource(request);
    const name = this.#nameOf(request);
    switch (request.verb) {
      case 'get':
        return resource.get(name);
      case 'dated':
        return resource.getDated(name);
      case 'list':
        return this.#ofRun((await resource.list(this.#selection(request))).items);
      case 'listAll':
        return this.#ofRun(
          (await this.#client.all(subjectOf(request.plural).kind).list(this.#selection(request))).items,
        );
      case 'create':
        return this.#create(request, resource);
      case 'update':
        return this.#update(request, resource);
      case 'patch':
        return this.#patch(request, resource);
      case 'delete':
        return resource.delete(name, this.#deletion(request));
      case 'clear':
        return request.plural === 'namespaces'
          ? resource.get(name)
          : resource.deleteCollection({
              ...this.#selection(request),
              ...this.#deletion({ ...request, uid: 'none' }),
            });
    }
  }

  #create(request: RandomRequest, resource: ResourceClient<ApiObject>): Promise<unknown> {
    const { metadata, ...content } = this.#body(request);
    const { uid: _, resourceVersion: __, name, ...rest } = metadata ?? {};
    const isGenerated = request.name === 'generated' && request.plural !== 'namespaces' && !request.dryRun;
    const names = isGenerated
      ? { generateName: `${GENERATED}${request.plural}-${request.namespace}-` }
      : { name };
    return resource.create(
      { ...content, metadata: { ...names, ...rest } } as ApiObject,
      this.#options(request),
    );
  }

  /** Replaces the object by one that was read before, with changes, or by a new one if none was read. */
  #update(request: RandomRequest, resource: ResourceClient<ApiObject>): Promise<unknown> {
    const { metadata, ...content } = this.#body(request);
    const part = this.#subresourceOf(request);
    const key = `${this.#collectionOf(request)}/${this.#nameOf(request)}`;
    const base = this.#seen[request.version === 'first' ? 'first' : 'current'](key);
    const { uid: _, resourceVersion: __, ...known } = base?.metadata ?? {};
    const body = { ...base, ...content, ...part?.[1], metadata: { ...known, ...metadata } } as ApiObject;
    const options = this.#options(request);
    return part ? resource.subresource(part[0]).update(body, options) : resource.update(body, options);
  }

  #patch(request: RandomRequest, resource: ResourceClient<ApiObject>): Promise<unknown> {
    const part = this.#subresourceOf(request);
    const name = this.#nameOf(request);
    const options = this.#options(request);
    const body = this.#patchOf(request, part?.[1] ?? subjectOf(request.plural).content(request.value));
    return part
      ? resource.subresource(part[0]).patch(name, request.patch, body, options)
      : resource.patch(name, request.patch, body, options);
  }

  #patchOf(request: RandomRequest, content: JsonObject): unknown {
    const metadata = { ...this.#metadata(request), ...this.#stated(request) };
    if (request.patch !== 'json') return { ...content, metadata };
    const [[field, value] = ['data', {}]] = Object.entries(content);
    return [
      { op: 'add', path: `/metadata/labels`, value: request.labels },
      { op: request.value === 1 ? 'test' : 'add', path: `/${field}`, value },
      ...(request.value === 2 ? [{ op: 'remove', path: '/metadata/finalizers' }] : []),
    ];
  }

  /** Objects of this run, in an order that does not depend on generated names. */
  #ofRun(items: readonly DeepReadonly<ApiObject>[]): readonly DeepReadonly<ApiObject>[] {
    const own = items.filter(
      ({ metadata }) =>
        metadata?.namespace?.endsWith(`-${this.#run}`) ?? metadata?.name?.endsWith(`-${this.#run}`),
    );
    const isGenerated = ({ metadata }: DeepReadonly<ApiObject>): boolean =>
      metadata?.name?.startsWith(GENERATED) ?? false;
    return [...own.filter((each) => !isGenerated(each)), ...own.filter(isGenerated)];
  }

  /** Returns all objects of the run. */
  async everything(): Promise<readonly DeepReadonly<ApiObject>[]> {
    const names = [`one-${this.#run}`, `two-${this.#run}`];
    const all = Object.values(subjects).flatMap(({ kind }) =>
      names.map(async (name) => {
        if (kind.namespaced) return (await this.#client.namespaced(kind, name).list()).items;
        return this.#client
          .cluster(kind)
          .get(name)
          .then(
            (found) => [found],
            () => [],
          );
      }),
    );
    return (await Promise.all(all)).flat();
  }
}
