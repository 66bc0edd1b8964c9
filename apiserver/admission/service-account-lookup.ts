import type { DeepReadonly } from '../../api/kinds/index.ts';
import { notFound } from '../../api/status/index.ts';
import type { ServiceAccount } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { type Clock, sleep } from '../../base/clock/index.ts';
import type { Random } from '../../base/random/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionRequest } from '../request.ts';
import { rejection } from './rejection.ts';

/** Name of the service account of pods that name none. */
export const DEFAULT_ACCOUNT = 'default';
/**
 * Maximum number of attempts to find the default service account, which a controller creates shortly after
 * its namespace.
 */
const DEFAULT_ACCOUNT_TRIES = 10;
/**
 * Minimum pause in milliseconds between two attempts. A random time of up to the same length, chosen once per
 * pod, is added to each pause.
 */
const DEFAULT_ACCOUNT_PAUSE_MS = 100;

/** Readers and environment of the lookup. */
export interface AccountLookupOptions {
  readonly serviceAccounts: ObjectReader<ServiceAccount>;
  readonly vocabulary: Vocabulary;
  readonly random: Random;
  readonly clock: Clock;
}

/**
 * Function that finds the service account of a pod. Throws the rejection of the pod if the account does not
 * exist.
 */
export type AccountLookup = (
  request: DeepReadonly<AdmissionRequest>,
  name: string,
  signal: AbortSignal,
) => Promise<DeepReadonly<ServiceAccount>>;

/** Creates a lookup that reads from the cache first, then from the store. */
export function createAccountLookup({
  serviceAccounts,
  vocabulary,
  random,
  clock,
}: AccountLookupOptions): AccountLookup {
  return async (request, name, signal) => {
    const { namespace } = request;
    const cached = serviceAccounts.get(namespace, name);
    if (cached !== undefined) return cached;
    const tries = name === DEFAULT_ACCOUNT ? DEFAULT_ACCOUNT_TRIES : 1;
    const pauseMs = DEFAULT_ACCOUNT_PAUSE_MS + random.int(DEFAULT_ACCOUNT_PAUSE_MS);
    for (let attempt = 1; attempt <= tries; attempt++) {
      if (attempt > 1) await sleep(clock, pauseMs, signal);
      const found = await serviceAccounts.live(namespace, name);
      if (found !== undefined) return found;
    }
    const { message } = notFound({ group: '', resource: 'serviceaccount' }, name);
    throw rejection(request, vocabulary, `error looking up service account ${namespace}/${name}: ${message}`);
  };
}
