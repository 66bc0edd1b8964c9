import { cloneJson } from '../../../api/schema/index.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import { toRecord } from '../../../api/quota/index.ts';
import type { ResourceQuota } from '../../../api/types/core-v1-quota.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import type { Clock } from '../../../base/clock/index.ts';
import { ownWrite } from '../../registry/write/own-requests.ts';
import type { ObjectReader, ResourceRegistry, WriteContext } from '../../registry/registry.ts';
import type { AdmissionPlugin } from '../../request.ts';
import { parseQuotaConfiguration } from './configuration.ts';
import { type QuotaAccess, createQuotaEvaluation } from './evaluation.ts';

type Quota = DeepReadonly<ResourceQuota>;

/** Readers and writers of quotas. */
export interface ResourceQuotaOptions {
  readonly quotas: ObjectReader<ResourceQuota>;
  /** Registry through which charges are written. */
  readonly registry: Pick<ResourceRegistry, 'update'>;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
}

/** Resources that are never limited, as their objects are short-lived and every client may create them. */
const UNCOUNTED = new Set(['events']);

/**
 * Creates a plugin that rejects requests which exceed a quota of their namespace
 * (https://kubernetes.io/docs/concepts/policy/resource-quotas/). It writes the usage to the status of the
 * quota before the object is stored. The controller `resourcequota` subtracts the usage of deleted objects
 * and failed writes.
 */
export function createResourceQuota(options: ResourceQuotaOptions, configuration: unknown): AdmissionPlugin {
  const { vocabulary, clock } = options;
  const limited = parseQuotaConfiguration(configuration, vocabulary);
  const access = new QuotaIndex(options);
  const evaluate = createQuotaEvaluation({ quotas: access, limited, vocabulary, clock });
  return {
    name: 'ResourceQuota',
    operations: ['CREATE', 'UPDATE'],
    concerns: ({ group, plural, namespaced }) =>
      namespaced && !((group === '' || group === 'events') && UNCOUNTED.has(plural)),
    isIdle: () => limited.length === 0 && access.size === 0,
    async validate(request) {
      const { namespace, subresource, object } = request;
      if (namespace === '' || subresource !== '' || object === undefined) return;
      if (limited.length === 0 && !access.has(namespace)) return;
      await evaluate(request);
    },
  };
}

/** Quotas by namespace, each at the newest version that this server has received or written. */
class QuotaIndex implements QuotaAccess {
  readonly #options: ResourceQuotaOptions;
  readonly #byNamespace = new Map<string, Map<string, Quota>>();
  /** Versions that this server wrote and that the cache may not have received yet. */
  readonly #written = new Map<string, Quota>();
  readonly #context: WriteContext;

  constructor(options: ResourceQuotaOptions) {
    this.#options = options;
    this.#context = ownWrite(new AbortController().signal, `${options.vocabulary.short}-apiserver`);
    options.quotas.subscribe((quota, previous) => {
      const deleted = quota === undefined ? previous : undefined;
      if (deleted !== undefined) this.#forget(deleted);
      else if (quota !== undefined) this.#note(quota);
    });
  }

  get size(): number {
    return this.#byNamespace.size;
  }

  has(namespace: string): boolean {
    return this.#byNamespace.has(namespace);
  }

  of(namespace: string): readonly Quota[] {
    return [...(this.#byNamespace.get(namespace)?.values() ?? [])].map((quota) => {
      const written = this.#written.get(keyOf(quota));
      return written !== undefined && isNewer(written, quota) ? written : quota;
    });
  }

  live(namespace: string, name: string): Promise<Quota | undefined> {
    return this.#options.quotas.live(namespace, name);
  }

  async write(quota: Quota, used: Parameters<QuotaAccess['write']>[1]): Promise<void> {
    const { namespace = '', name = '' } = quota.metadata ?? {};
    const next = cloneJson({ ...quota, status: { ...quota.status, used: toRecord(used) } });
    const { object } = await this.#options.registry.update(namespace, name, 'status', next, this.#context);
    if (this.has(namespace)) this.#written.set(`${namespace}/${name}`, object as Quota);
  }

  #note(quota: Quota): void {
    const { namespace = '', name = '' } = quota.metadata ?? {};
    const quotas = this.#byNamespace.get(namespace) ?? new Map<string, Quota>();
    quotas.set(name, quota);
    this.#byNamespace.set(namespace, quotas);
    const written = this.#written.get(keyOf(quota));
    if (written !== undefined && !isNewer(written, quota)) this.#written.delete(keyOf(quota));
  }

  #forget(quota: Quota): void {
    const { namespace = '', name = '' } = quota.metadata ?? {};
    const quotas = this.#byNamespace.get(namespace);
    quotas?.delete(name);
    if (quotas?.size === 0) this.#byNamespace.delete(namespace);
    this.#written.delete(keyOf(quota));
  }
}

const keyOf = ({ metadata }: Quota): string => `${metadata?.namespace}/${metadata?.name}`;
const versionOf = ({ metadata }: Quota): number => Number(metadata?.resourceVersion ?? 0);
/** True if `left` is newer. Resource versions are comparable, as one store assigns all of them. */
const isNewer = (left: Quota, right: Quota): boolean => versionOf(left) > versionOf(right);
